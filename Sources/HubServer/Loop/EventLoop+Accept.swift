// New connections: who they are, and whether there is room for them. One that is refused is told why.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  mutating func acceptClients() {
    guard acceptor.isReady else { return }
    acceptor.rotate()
    for _ in 0..<Acceptor.perTurn {
      switch acceptor.accept() {
      case .accepted(let descriptor): welcome(descriptor)
      case .lost: continue
      case .nobody: return
      case .mustRefuse(let descriptor):
        refuse(descriptor, "the hub has no descriptor left for another client")
        acceptor.refused()
        log.write(
          .warning, .descriptorsExhausted, at: now.boot,
          "refused a client: no descriptor left with \(sessions.count) clients; raise LimitNOFILE= or ulimit -n"
        )
      case .failed(let problem):
        log.write(
          .warning, .acceptFailed, at: now.boot,
          "cannot accept a connection: \(ServerError.text(of: problem))")
        return
      }
    }
  }

  private mutating func welcome(_ descriptor: Int32) {
    if sessions.count >= acceptor.maxClients || Int(descriptor) >= sessions.capacity {
      refuse(descriptor, "the hub serves \(sessions.count) clients and takes no more")
      log.write(
        .warning, .tooManyClients, at: now.boot,
        "refused a client: maxClients is \(acceptor.maxClients), and \(sessions.count) are connected")
      return
    }
    var peer = Peer(pid: 0, uid: 0, gid: 0)
    guard clinux_peer_credentials(descriptor, &peer.pid, &peer.uid, &peer.gid) == 0, poller.add(descriptor)
    else {
      let problem = errno
      refuse(descriptor, "the hub cannot serve this connection: \(ServerError.text(of: problem))")
      log.write(
        .warning, .acceptFailed, at: now.boot, "cannot serve a connection: \(ServerError.text(of: problem))")
      return
    }
    sessions.open(descriptor, Session(state: .open))
    engine.open(SessionID(raw: descriptor), peer: peer, now: now)
    engine.counters.connectionsAccepted &+= 1
  }

  /// Tells the client why, and closes the connection.
  private mutating func refuse(_ descriptor: Int32, _ reason: String) {
    engine.counters.connectionsRefused &+= 1
    var farewell = OutputBuffer()
    Reply.error(HubError(.quota, reason)).encode(into: &farewell, request: 0)
    _ = clinux_send(descriptor, farewell.base, farewell.count)
    hangUp(descriptor)
  }

  /// Closes a connection of which the client may not have said the last. Unread bytes would make the client's next read
  /// fail, and hide from it what it was told last: so they are read first.
  func hangUp(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
    inbox.discard(from: descriptor)
    close(descriptor)
  }
}
