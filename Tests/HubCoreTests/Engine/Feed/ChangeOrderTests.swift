// The order of a pattern's changes by itself.

import Testing

@testable import HubCore

@Suite("The order of changes")
struct ChangeOrderTests {
  /// Changes at the positions 10, 20, 30 ... of the revisions 1, 1, 2, 2 ...
  private func order(_ count: Int) -> ChangeOrder {
    var order = ChangeOrder()
    for number in 0..<count {
      order.append(
        ChangeOrder.Entry(
          position: UInt64(number + 1) * 10, revision: UInt64(number / 2 + 1), slot: Int32(number)))
    }
    order.members = count
    return order
  }

  private func positions(_ order: borrowing ChangeOrder) -> [UInt64] {
    var positions: [UInt64] = []
    for index in order.entries.indices { positions.append(order.entries[index].position) }
    return positions
  }

  @Test("what comes after a position is found, between entries and at them")
  func after() {
    let order = order(5)
    let found = ([0, 9, 10, 11, 49, 50, 51] as [UInt64]).map { order.index(after: $0) }
    #expect(found == [0, 0, 1, 1, 4, 5, 5])
    #expect(ChangeOrder().index(after: 0) == 0)
  }

  @Test("the last change at or below a revision is found")
  func revision() {
    let order = order(5)
    let found = ([0, 1, 2, 3, 9] as [Revision]).map { order.position(of: $0) }
    #expect(found == [0, 20, 40, 50, 50])
  }

  @Test("taking back removes what comes after the position, and nothing at it")
  func rewind() {
    var order = order(5)
    order.rewind(to: 30)
    #expect(positions(order) == [10, 20, 30])
    order.rewind(to: 0)
    #expect(positions(order).isEmpty)
  }

  @Test("it is compacted once stale entries outnumber the others, but not while it is short")
  func compaction() {
    var order = order(63)
    order.members = 1
    #expect(order.wantsCompaction == false)
    order.append(ChangeOrder.Entry(position: 640, revision: 40, slot: 63))
    #expect(order.wantsCompaction == true)
    order.members = 32
    #expect(order.wantsCompaction == false)
    order.members = 31
    order.compact { $0.slot % 2 == 1 }
    #expect(positions(order) == (1...32).map { $0 * 20 })
  }
}
