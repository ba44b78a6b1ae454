// Restores a store's record: what the undo log keeps of the record, and the blocks of long values, which are not moved.

import HubCore

extension StoreTable {
  /// A record before a change, with its value's block if that is pinned; the copy of a short value and the schema are the undo
  /// log's.
  struct Saved {
    var record: StoreRecord
    var value: Int?
    var schema: Int?
  }

  /// Keeps the store's block with its value as it is until `dropPinned`.
  mutating func pinValue(of slot: Int) {
    if let block = records[slot].cell.block { pinned.add(block) }
  }

  /// The store is about to write over its block, or to free it: one that the undo log or a connection needs is not the store's
  /// any more.
  mutating func giveUpBlock(of slot: Int) {
    guard !pinned.isEmpty, let block = records[slot].cell.block,
      pinned.giveUp(block, capacity: Int(records[slot].cell.capacity), user: records[slot].uid)
    else {
      return giveUpHeldBlock(of: slot)
    }
    records[slot].cell.block = nil
    records[slot].cell.capacity = 0
  }

  /// Nothing can be undone from here on: blocks that stores have given up are free.
  mutating func dropPinned() {
    if pinned.isEmpty { return }
    for (block, capacity) in pinned.givenUp {
      if held.take(block, capacity: capacity) { hasSetAside = true } else { block.deallocate() }
    }
    pinned = PinnedBlocks()
  }

  /// Reverts a record, except for its memberships, which `PatternTable` owns. It must not be among `Lifetimes`.
  ///
  /// - Parameter value: its copy; nil: its block is pinned.
  mutating func undo(_ slot: Int, to saved: Saved, value: ByteView?, schema: Schema?) {
    if let value { _ = setValue(value, of: slot) } else { restore(saved.record.cell, to: slot) }
    let now = records[slot]
    records[slot] = saved.record
    records[slot].cell = now.cell
    records[slot].schema = now.schema
    records[slot].memberships = now.memberships
    records[slot].patternCount = now.patternCount
    (records[slot].deadlinePlace, records[slot].ownerPlace) = (-1, -1)
    if let schema { setSchema(schema, of: slot) }
  }

  /// The store gets a pinned block back.
  private mutating func restore(_ cell: ValueCell, to slot: Int) {
    valueBytes += Int(cell.count) - Int(records[slot].cell.count)
    if records[slot].cell.block != cell.block {
      giveUpBlock(of: slot)
      records[slot].cell.block?.deallocate()
    }
    records[slot].cell = cell
    pinned.giveBack(cell.block!)
  }
}
