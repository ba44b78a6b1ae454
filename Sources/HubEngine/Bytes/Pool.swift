// A table of records with reused indices: the index of a removed record goes to the next new one.

import HubCore

/// Records by an index that stays theirs until they are removed. The user of the pool keeps track of the indices in
/// use.
struct Pool<Element>: ~Copyable {
  private var records = BlockTable<Element>()
  private var free = BlockTable<Int32>()

  /// How many records there are.
  var count: Int { records.count - free.count }

  subscript(index: Int32) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: Int(index))) }
    @inline(__always) unsafeMutableAddress { records.address(of: Int(index)) }
  }

  /// Valid until the next `add`: for the subscripts of tables made of pools.
  @inline(__always)
  func address(of index: Int32) -> UnsafeMutablePointer<Element> { records.address(of: Int(index)) }

  mutating func add(_ record: Element) -> Int32 {
    if !free.isEmpty {
      let index = free.removeLast()
      self[index] = record
      return index
    }
    records.append(record)
    return Int32(records.count - 1)
  }

  /// The record's index is free; its memory is kept.
  mutating func remove(_ index: Int32) { free.append(index) }
}
