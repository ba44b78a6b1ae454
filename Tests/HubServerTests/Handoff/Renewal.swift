// The two ways in which a running hub takes over what was installed or configured.

import Glibc
import HubCore
import TestSupport

enum Renewal: CaseIterable, Sendable {
  /// The configuration comes into force in the running program.
  case reload
  /// The program at the hub's path takes over, even if it is the one that runs.
  case upgrade
}

extension HubProcess {
  /// Asks for it. The hub sees the signal before it reads the request, which joins the upgrade.
  func ask(_ client: RawClient, for way: Renewal) throws -> UInt32 {
    if way == .upgrade { process.signal(SIGUSR2) }
    return try client.send(.reload)
  }

  /// The same, and waits until it is over.
  ///
  /// - Returns: the notes.
  @discardableResult
  func renew(_ client: RawClient, by way: Renewal) throws -> [String] {
    let reply = try client.reply(to: ask(client, for: way))
    guard case .reloaded(_, let notes) = reply else { throw TestFailure("answered with \(reply)") }
    return notes
  }
}
