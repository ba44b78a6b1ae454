// Whoever meets a limit, or is slowed down, is named in the log.

import HubCore
import HubSystem

extension Exchange {
  /// Called at the end of a turn that has something to tell.
  @inline(never)
  mutating func logLimits() {
    for met in engine.takeMetLimits() where reminders.admit(met.peer.uid, met.message, at: now.boot) {
      log.write(
        .warning, .limitMet, at: now.boot,
        "refused a request of \(Exchange.name(of: met.peer)): \(met.message)")
    }
    for (uid, place) in connections.shares.takeSlowed() {
      let waiting = connections.ready.all.count { connections[$0].user == place }
      log.write(
        .warning, .slowedDown, at: now.boot,
        "user \(uid) has used its whole share of the hub's time for \(UserShares.slowSeconds) s: "
          + "\(waiting) of its connections wait, so that others are served")
    }
  }

  static func name(of peer: Peer) -> String { "process \(peer.pid) of user \(peer.uid)" }
}
