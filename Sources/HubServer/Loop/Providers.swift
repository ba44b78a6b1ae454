// Messages to sessions at the end of a turn because of providers: late replies, and writes to decide on.

import HubCore
import HubEngine

extension Exchange {
  /// Settles what providers decided in this turn, and sends what follows. The turn's changes are in the journal.
  mutating func dealWithProviders(in turn: borrowing Turn) {
    engine.deal(now: now)
    // A change of a claim's state may have to be journalled.
    if engine.hasOutbox { commit(turn) }
    while let (session, bytes, isSynced) = engine.nextMessage() {
      guard connections[session.raw].life.isOpen else { continue }
      replies.append(bytes)
      // The decision's own reply did not wait for the disk: this one does.
      if isSynced { gate.note(.awaitsDisk) }
      flushReplies(to: session.raw)
    }
  }
}
