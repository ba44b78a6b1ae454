// A turn's changes on their way from the stores to those who watch: written down at once, noted in the patterns when
// the turn is complete. So a write costs the same for any number of watchers, and undoing it reverts nothing here.

import HubCore

struct PendingChange {
  enum Kind: UInt8 {
    case changed
    /// Created, or given another schema.
    case created
    case removed
  }

  /// Where its frame ends in the change log.
  var end: UInt64
  var length: UInt32
  var slot: Int32
  var kind: Kind
  /// Part of a transaction.
  var isGrouped: Bool
}

extension Feed {
  /// A change was written to the log.
  @inline(__always)
  mutating func add(_ change: PendingChange) { pending.append(change) }

  /// Drops the changes that were undone: all but the first `count`.
  mutating func dropPending(but count: Int) { pending.removeLast(pending.count - count) }

  /// Some of the turn's changes are noted and others are not: stores and watches stay as they are until the rest is.
  @inline(__always)
  var isLagging: Bool { noted > 0 }

  /// Notes the turn's changes: new stores join the patterns that match them, removed ones leave theirs, and their slots are
  /// free. What is noted is not undone.
  ///
  /// - Returns: whether all are noted; if not, the work budget is spent.
  @inline(__always)
  mutating func notePending(_ stores: inout Stores, _ effort: inout Effort) -> Bool {
    pending.isEmpty || noteAll(&stores, &effort)
  }

  @inline(never)
  private mutating func noteAll(_ stores: inout Stores, _ effort: inout Effort) -> Bool {
    while noted < pending.count {
      if effort.isSpent { return false }
      let change = pending[noted]
      let slot = Int(change.slot)
      if stores[slot].patternCount == 0 { patterns.admit(slot, stores: &stores, &effort) }
      patterns.note(change, stores[slot], &effort)
      if change.kind == .removed {
        patterns.dismiss(slot, stores: &stores, &effort)
        stores.free(slot)
      }
      noted += 1
    }
    pending.removeAll()
    noted = 0
    return true
  }
}
