// The heaps of values that end, by themselves.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Lifetimes")
struct LifetimesTests {
  /// Stores named by their number.
  private func table(_ count: Int) -> StoreTable {
    var table = StoreTable()
    for number in 0..<count {
      _ = Array("s\(number)".utf8).withByteView { table.insert($0, schema: Schema(type: .integer)) }
    }
    return table
  }

  /// The first of the heap again and again, until it is empty.
  private func drained(_ heap: EndingHeap, _ table: inout StoreTable) -> [Int] {
    var heap = heap
    var slots: [Int] = []
    while let first = heap.first {
      slots.append(first.id.slot)
      heap.remove(first.id.slot, &table)
    }
    return slots
  }

  @Test(
    "values end in the order of their times, and at one time in the order of their stores, whichever left before",
    arguments: 0..<30)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = table(60)
    var heap = EndingHeap(.deadline)
    var times: [Int: UInt64] = [:]
    for step in 0..<600 {
      let slot = Int.random(in: 0..<60, using: &random)
      heap.remove(slot, &table)
      times[slot] = nil
      if Int.random(in: 0..<3, using: &random) > 0 {
        let time = UInt64.random(in: 1...20, using: &random)
        heap.add(EndingHeap.Entry(time: time, id: table[slot].id), &table)
        times[slot] = time
      }
      let expected = times.min { ($0.value, $0.key) < ($1.value, $1.key) }
      #expect(heap.first?.id.slot == expected?.key && heap.count == times.count, "step \(step)")
    }
    let sorted = times.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    let slots = drained(heap, &table)
    #expect(slots == sorted)
    #expect((0..<60).filter { table[$0].deadlinePlace >= 0 }.isEmpty)
  }

  @Test("a session's values are found by the lowest number first, and those of others are not")
  func owners() {
    var table = table(6)
    var lifetimes = Lifetimes()
    for slot in [4, 1, 5, 2] {
      table[slot].owner = slot == 2 ? 8 : 7
      lifetimes.enter(slot, &table)
    }
    var found: [Int] = []
    while let id = lifetimes.first(ownedBy: SessionID(raw: 7)) {
      found.append(id.slot)
      lifetimes.leave(id.slot, &table)
    }
    let other = lifetimes.first(ownedBy: SessionID(raw: 8))?.slot
    #expect(found == [1, 4, 5] && other == 2)
  }

  @Test("a value with a deadline and an owner leaves both")
  func both() {
    var table = table(2)
    var lifetimes = Lifetimes()
    for slot in 0..<2 {
      table[slot].owner = 3
      table[slot].deadline = 9
      lifetimes.enter(slot, &table)
    }
    lifetimes.leave(0, &table)
    #expect(lifetimes.deadlines.first?.id.slot == 1 && lifetimes.deadlines.count == 1)
    #expect(lifetimes.owned(by: SessionID(raw: 3)).map(\.slot) == [1])
  }
}
