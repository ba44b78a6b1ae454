// The end of a turn: sessions that have ended go, and those that are due get their events, one send each, from where the
// engine has them.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  /// A session that catches up gets at most so many batches, of about 64 KiB each, in one turn.
  private static let batchesPerTurn = 4

  mutating func finishTurn() {
    closeEnded()
    // Values that ended by themselves, and those of sessions that ended.
    if engine.hasOutbox { commitTurn() }
    engine.endTurn()
    while let session = engine.nextDue() { deliver(to: session) }
  }

  private mutating func deliver(to session: SessionID) {
    let descriptor = session.raw
    guard sessions[descriptor].state == .open, sessions[descriptor].flow == .open else {
      return engine.hold(session)
    }
    for _ in 0..<EventLoop.batchesPerTurn {
      let due = engine.due(for: session)
      if due.isEmpty { return }
      let sent = clinux_send(descriptor, due.base, due.count)
      if sent != due.count { return keepRest(of: due, for: descriptor, sent) }
      _ = engine.sent(sent, to: session)
    }
    engine.hold(session)
    yielding.append(descriptor)
  }

  /// The socket took only a part of what was due.
  private mutating func keepRest(of due: ByteView, for descriptor: Int32, _ result: Int) {
    let problem = errno
    let rest = engine.sent(max(0, result), to: SessionID(raw: descriptor))
    if result < 0, problem != EAGAIN, problem != EINTR { return lose(descriptor) }
    block(descriptor, rest: rest, cut: rest.count)
    if budget.isExceeded { relieveMemory() }
  }

  /// Those that had enough in the last turn are due again.
  mutating func resumeYielding() {
    if yielding.isEmpty { return }
    for descriptor in yielding where sessions[descriptor].state == .open && sessions[descriptor].flow == .open
    {
      engine.release(SessionID(raw: descriptor))
    }
    yielding.removeAll(keepingCapacity: true)
  }
}
