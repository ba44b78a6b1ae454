// Owns the changes that a failing transaction must undo, and their cost. Outside a transaction it is empty and costs nothing.

import HubCore

/// It keeps its memory, so that a transaction in steady use allocates nothing.
struct UndoLog: ~Copyable {
  enum Kind {
    case changed
    case created
    case removed
  }

  struct Entry {
    var kind: Kind
    var slot: Int
    /// The record before the change.
    var saved: StoreTable.Saved
  }

  /// The engine's state when the transaction began.
  struct Savepoint {
    var head: UInt64
    var revision: Revision
    var turnSlot: Int32
    var turnHasGroup: Bool
    /// The length of the journal's outbox, and what it knows.
    var outbox: JournalOutbox.Savepoint
    /// How many changes wait to be noted.
    var pending: Int
  }

  private(set) var transaction: Savepoint? { didSet { isTransaction = transaction != nil } }
  /// There is one. Every change asks, and to ask the optional takes a dozen instructions.
  private(set) var isTransaction = false
  /// The transaction has taken its revision.
  private var hasRevision = false
  private(set) var entries: [Entry] = []
  /// What it will cost to note the transaction's changes for watchers, in units of `Effort`.
  private(set) var noting = 0
  /// What it has cost to find the patterns of the stores that it creates.
  private(set) var creating = 0
  /// The frames that the transaction wrote to the change log.
  private(set) var frames: [(end: UInt64, length: Int)] = []
  /// Copies of the short ones; long ones are pinned where they are.
  private var values = OutputBuffer()
  private var schemas: [Schema] = []

  /// Longer values are not copied.
  private let longestCopy: Int
  private static let keptBytes = 64 << 10

  init(longestCopy: Int) { self.longestCopy = longestCopy }

  /// Whether the change that is being made takes a new revision: one per transaction.
  @inline(__always)
  mutating func takesRevision() -> Bool {
    if !isTransaction { return true }
    if hasRevision { return false }
    hasRevision = true
    return true
  }

  mutating func begin(_ savepoint: Savepoint) {
    precondition(!isTransaction, "transactions do not nest")
    transaction = savepoint
    hasRevision = false
    (noting, creating) = (0, 0)
  }

  /// The transaction is final, or undone.
  mutating func end(_ stores: inout Stores) {
    transaction = nil
    stores.dropPinned()
    entries.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
    values.clear(keeping: UndoLog.keptBytes)
    schemas.removeAll()
  }

  @inline(__always)
  mutating func willChange(_ slot: Int, in stores: inout Stores, schema: Bool = false) {
    if isTransaction { record(.changed, slot, &stores, schema: schema) }
  }

  mutating func didCreate(_ slot: Int, in stores: inout Stores) {
    if isTransaction { record(.created, slot, &stores, schema: false) }
  }

  mutating func willRemove(_ slot: Int, in stores: inout Stores) {
    if isTransaction { record(.removed, slot, &stores, schema: false) }
  }

  /// Whether the store's value stays where it is when it is replaced.
  func pins(_ slot: Int, in stores: borrowing Stores) -> Bool { stores[slot].cell.count > longestCopy }

  private mutating func record(_ kind: Kind, _ slot: Int, _ stores: inout Stores, schema: Bool) {
    if schema { schemas.append(stores.schema(of: slot)) }
    var saved = StoreTable.Saved(record: stores[slot], schema: schema ? schemas.count - 1 : nil)
    if pins(slot, in: stores) {
      stores.pinValue(of: slot)
    } else {
      saved.value = values.count
      values.append(stores.value(of: slot).bytes)
    }
    entries.append(Entry(kind: kind, slot: slot, saved: saved))
  }

  /// The copy of a saved record's value, valid until the next mutation; nil: it is pinned.
  func value(of saved: StoreTable.Saved) -> ByteView? {
    saved.value.map { values.view.slice($0, Int(saved.record.cell.count)) }
  }

  func schema(of saved: StoreTable.Saved) -> Schema? { saved.schema.map { schemas[$0] } }

  mutating func didAnnounce(end: UInt64, length: Int, cost: Int) {
    frames.append((end, length))
    noting &+= cost
  }

  // MARK: Costs

  /// The most that noting the changes of one transaction may cost.
  private static let mostNoting = 20_000_000
  /// The most that finding the patterns of all stores that a transaction creates may cost. It is not cut into steps.
  private static let mostCreating = 3_000_000

  /// The transaction creates a store whose patterns it took this much to find.
  ///
  /// - Throws: `quota` if it was too much for one transaction.
  mutating func spendCreating(_ name: ByteView, _ cost: Int) throws(HubError) {
    guard isTransaction else { return }
    noting &+= cost
    creating &+= cost
    if creating > UndoLog.mostCreating {
      throw HubError(
        .quota, store: name.text,
        "too many watched patterns match what the transaction creates: split it")
    }
  }

  /// - Throws: `quota` if its changes so far match too much to be noted together.
  func checkNoting() throws(HubError) {
    if noting > UndoLog.mostNoting {
      throw HubError(
        .quota, "too many watched patterns match what the transaction changes: split it, or watch less")
    }
  }
}
