// What a transaction has done so far, so that all of it can be taken back. It is empty, and costs nothing, outside one.

struct UndoLog {
  enum Entry {
    case changed(slot: Int, StoreTable.Saved)
    case created(slot: Int)
    case removed(slot: Int, StoreTable.Saved)
  }

  private(set) var isActive = false
  /// The transaction has taken its revision.
  var hasRevision = false
  private(set) var entries: [Entry] = []
  /// The frames that it wrote to the change log.
  private(set) var frames: [(end: UInt64, length: Int)] = []
  /// How things stood before.
  private(set) var before = Before()

  struct Before {
    var head: UInt64 = 0
    var revision: Revision = 0
    var turnSlot: Int32 = -1
    var turnHasGroup = false
  }

  mutating func begin(_ before: Before) {
    precondition(!isActive, "transactions do not nest")
    isActive = true
    hasRevision = false
    self.before = before
  }

  mutating func end() {
    isActive = false
    entries.removeAll()
    frames.removeAll()
  }

  @inline(__always)
  mutating func willChange(_ slot: Int, in stores: borrowing StoreTable, schema: Bool = false) {
    if isActive { entries.append(.changed(slot: slot, stores.save(slot, schema: schema))) }
  }

  mutating func didCreate(_ slot: Int) {
    if isActive { entries.append(.created(slot: slot)) }
  }

  mutating func willRemove(_ slot: Int, in stores: borrowing StoreTable) {
    if isActive { entries.append(.removed(slot: slot, stores.save(slot))) }
  }

  mutating func didAnnounce(end: UInt64, length: Int) { frames.append((end, length)) }
}
