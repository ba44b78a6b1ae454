// Logs users who reach a limit or are slowed down, and ends a session whose watches have grown too much.

import HubCore
import HubEngine
import HubSystem

extension Exchange {
  /// Called at the end of a turn that has something to tell.
  @inline(never)
  mutating func logLimits() {
    for met in engine.monitoring.takeMetLimits()
    where reminders.admit(met.peer.uid, met.message, at: now.boot) {
      log.write(
        .warning, .limitMet, at: now.boot,
        "refused a request of \(Exchange.name(of: met.peer)): \(met.message)")
    }
    for (uid, place) in connections.shares.takeSlowed() {
      let waiting = connections.ready.all.count { connections[$0].user == place }
      log.write(
        .warning, .slowedDown, at: now.boot,
        "user \(uid) has used its whole share of the hub's time for \(UserShares.slowSeconds) s: "
          + "\(waiting) of its connections are waiting, so that others are served")
    }
  }

  /// Ends the session that watches most of a user whose watches take more than they may.
  @inline(never)
  mutating func endOverdrawn() {
    guard let (session, reason) = engine.nextOverdrawn() else { return }
    log.write(
      .warning, .limitMet, at: now.boot, "ended \(Exchange.name(of: engine.peer(of: session))): \(reason)")
    if connections[session.raw].life.isOpen {
      dismiss(session.raw, .quota, reason)
    } else {
      connections.end(session.raw)
    }
  }

  static func name(of peer: Peer) -> String { "\(peer.process) of user \(peer.uid)" }
}
