// Which store belongs to which pattern: one record for each pair, in a list of the store's and in a list of the pattern's, so that it can be removed
// from either list without a search.

import HubCore

struct Membership {
  var pattern: Int32
  var slot: Int32
  var nextOfStore: Int32
  var previousOfStore: Int32 = -1
  var nextOfPattern: Int32
  var previousOfPattern: Int32 = -1
}

/// Invariant: a store's list begins at its record's `memberships`, a pattern's at its record's.
struct MembershipTable: ~Copyable {
  private var records = Pool<Membership>()

  var count: Int { records.count }

  subscript(node: Int32) -> Membership {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: node)) }
    @inline(__always) unsafeMutableAddress { records.address(of: node) }
  }

  /// - Parameters:
  ///   - ofStore: the beginning of the store's list, which the new record becomes, like the next.
  ///   - ofPattern: the beginning of the pattern's list.
  mutating func add(_ pattern: Int32, _ slot: Int, ofStore: inout Int32, ofPattern: inout Int32) {
    let node = records.add(
      Membership(pattern: pattern, slot: Int32(slot), nextOfStore: ofStore, nextOfPattern: ofPattern))
    if ofStore >= 0 { records[ofStore].previousOfStore = node }
    if ofPattern >= 0 { records[ofPattern].previousOfPattern = node }
    (ofStore, ofPattern) = (node, node)
  }

  mutating func remove(_ node: Int32, ofStore: inout Int32, ofPattern: inout Int32) {
    let record = records[node]
    if record.previousOfStore >= 0 {
      records[record.previousOfStore].nextOfStore = record.nextOfStore
    } else {
      ofStore = record.nextOfStore
    }
    if record.nextOfStore >= 0 { records[record.nextOfStore].previousOfStore = record.previousOfStore }
    if record.previousOfPattern >= 0 {
      records[record.previousOfPattern].nextOfPattern = record.nextOfPattern
    } else {
      ofPattern = record.nextOfPattern
    }
    if record.nextOfPattern >= 0 {
      records[record.nextOfPattern].previousOfPattern = record.previousOfPattern
    }
    records.remove(node)
  }
}
