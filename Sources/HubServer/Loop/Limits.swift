// Limits of memory that users have met: the log names them, and a session whose watches have grown too much is ended.

import HubCore
import HubSystem

extension Exchange {
  @inline(never)
  mutating func noteLimits() {
    for limit in engine.takeLimitsMet() { log(limit) }
    while let (session, reason) = engine.nextOverdrawn() { endOverdrawn(session, reason) }
  }

  /// Names a user once for each of its limits, and again when some time has passed.
  private mutating func log(_ limit: LimitMet) {
    guard notices.admit(limit.uid, limit.setting, at: now.boot) else { return }
    log.write(.warning, .memoryLimit, at: now.boot, "refused a request of user \(limit.uid): \(limit.text)")
  }

  private mutating func endOverdrawn(_ session: SessionID, _ reason: LimitMet) {
    let peer = engine.peer(of: session)
    log.write(
      .warning, .memoryLimit, at: now.boot,
      "ended a client, process \(peer.pid) of user \(peer.uid): \(reason.text)")
    let descriptor = session.raw
    if connections[descriptor].life.isOpen {
      dismiss(descriptor, .quota, reason.text)
    } else {
      connections.end(descriptor)
    }
  }
}
