// The order of a pattern's changes by itself.

import Testing

@testable import HubCore
@testable import HubEngine

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
    for index in 0..<order.count { positions.append(order[index].position) }
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

  @Test("stale entries that were looked at are still there until the others have been, too")
  func unfinished() {
    var order = order(5000)
    order.members = 0
    while order.count > 100 { order.compact { _ in false } }
    #expect(order.hasManyStale == true)
    while !order.compact(looks: 64, keeping: { _ in false }) {}
    #expect(order.hasManyStale == false && order.wantsCompaction == false && order.count == 0)
  }

  @Test("while it is compacted little by little, all of it is found, and what comes is kept")
  func gap() {
    let members = 5000
    var order = order(3 * members)
    order.members = members
    var newest: [Int32: UInt64] = [:]
    for index in 0..<order.count where order[index].slot % 3 == 1 {
      newest[order[index].slot] = order[index].position
    }
    var position = UInt64(order.count) * 10
    var longest = order.count
    var steps = 0
    while order.wantsCompaction {
      steps += 1
      for slot in newest.keys.sorted().dropFirst(steps * 7 % members).prefix(20) {
        position += 10
        newest[slot] = position
        order.append(ChangeOrder.Entry(position: position, revision: position / 20, slot: slot))
      }
      order.compact { newest[$0.slot] == $0.position }
      longest = max(longest, order.count)
      let all = positions(order)
      #expect(all == all.sorted())
      let live = (0..<order.count).filter { newest[order[$0].slot] == order[$0].position }
      #expect(live.count == members)
      let sought = all[steps * 31 % all.count]
      #expect(order[order.index(after: sought) - 1].position == sought)
      #expect(order.position(of: position / 20) == position)
    }
    #expect(steps > 20, "a step looks at few entries")
    #expect(longest < 3 * members + members / 2, "it ends before much has come")
    #expect(order.count < 2 * members)
  }
}
