// A turn's changes on their way from the stores to watchers: recorded immediately, noted in the patterns when the turn is complete. So a write costs
// the same for any number of watchers, and undoing it reverts nothing here.

import HubCore

struct PendingChange {
  enum Kind: UInt8 {
    case changed
    /// Created, or given another schema.
    case created
    case removed
    /// Written with an equal value: no change, which only watches with a deadline count.
    case written
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

  /// The most that the creation of one store may cost: with more the name is refused. Names of up to five parts never are,
  /// unless thousands of patterns match them. It is not cut into steps, so that it also bounds how long others wait.
  private static let mostCreationWork = 1_000_000

  /// What noting the creation of a store costs. Its session is charged for it, although it depends on what others watch:
  /// on the patterns that match, and of deep globs also those that nearly match.
  ///
  /// - Throws: `quota` if it is too much.
  mutating func costOfCreating(_ name: ByteView) throws(HubError) -> Int {
    if let cost = patterns.costOfCreating(name, most: Feed.mostCreationWork) { return cost }
    throw HubError(
      .quota, store: name.text,
      "too many watched patterns match the name or its first parts: use a name with fewer parts")
  }

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
      if !written.isEmpty, change.kind != .removed, !noteWrite(of: stores[slot].id.raw, &effort) {
        return false
      }
      if change.kind == .written {
        noted += 1
        continue
      }
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
