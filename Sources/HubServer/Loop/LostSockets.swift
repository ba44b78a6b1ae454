// How the hub reacts when a socket's file is removed or replaced: it logs this, and listens there again if it can.

import HubCore
import HubSystem

extension EventLoop {
  /// Called when a file has changed, and at intervals while one is missing.
  @inline(never)
  mutating func checkSockets() {
    let lost = listeners.lost
    // Clients that connected earlier are waiting there.
    lost.forEach { acceptor.addReady($0) }
    for _ in 0..<(lost.isEmpty ? 0 : Acceptor.mostTurns) where acceptor.isReady { acceptClients() }
    let check = listeners.check(exchange.options)
    for listener in lost where !listeners.contains(listener) { acceptor.forget(listener) }
    for path in check.restored {
      exchange.log.write(.warning, "the socket \(path) was removed or replaced: the hub listens there again")
    }
    let problems = check.problems + watch(check.added)
    guard let news = sockets.looked(at: check.paths, problems, now: exchange.now.boot) else { return }
    for problem in news { exchange.log.write(.error, problem) }
    service.complain(about: .sockets, news.isEmpty ? nil : news.joined(separator: "; "))
  }

  /// Serves clients at more sockets.
  ///
  /// - Returns: what is wrong with some of them.
  mutating func watch(_ listeners: [Int32]) -> [String] {
    var problems: [String] = []
    for listener in listeners {
      do throws(SystemError) { try exchange.connections.poller.add(listener) } catch {
        problems.append("cannot watch a socket: \(error)")
      }
      acceptor.addReady(listener)
    }
    return problems
  }
}
