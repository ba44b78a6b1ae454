// Tests the ways of changing an identified array: after each, elements are found by their ids.

import Foundation
import HubReducers
import Testing

private struct Row: Identifiable, Equatable, Codable, Comparable {
  var id: Int
  var text = ""

  static func < (lhs: Row, rhs: Row) -> Bool { lhs.id < rhs.id }
}

@Suite("Changing an identified array")
struct IdentifiedArrayEditingTests {
  private func rows(_ ids: Int...) -> IdentifiedArrayOf<Row> {
    IdentifiedArray(uniqueElements: ids.map { Row(id: $0) })
  }

  private func check(_ rows: IdentifiedArrayOf<Row>, _ ids: [Int]) {
    #expect(rows.map(\.id) == ids)
    for (index, id) in ids.enumerated() { #expect(rows.index(id: id) == index) }
    for id in 0..<10 where !ids.contains(id) { #expect(rows[id: id] == nil) }
  }

  @Test("puts an element in the place of the one with its id, or where it is told")
  func update() {
    var rows = rows(1, 2)
    #expect(rows.updateOrAppend(Row(id: 1, text: "a")) == Row(id: 1))
    #expect(rows.updateOrAppend(Row(id: 3)) == nil)
    #expect(rows.updateOrInsert(Row(id: 4), at: 0) == (nil, 0))
    #expect(rows.updateOrInsert(Row(id: 2, text: "b"), at: 0) == (Row(id: 2), 2))
    #expect(rows.update(Row(id: 3, text: "c"), at: 3) == Row(id: 3))
    check(rows, [4, 1, 2, 3])
    #expect(rows.map(\.text) == ["", "a", "b", "c"])
    rows.append(contentsOf: [Row(id: 2), Row(id: 5)])
    check(rows, [4, 1, 2, 3, 5])
  }

  @Test("removes")
  func remove() {
    var rows = rows(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    #expect(rows.remove(Row(id: 4, text: "other")) == Row(id: 4))
    check(rows, [0, 1, 2, 3, 5, 6, 7, 8, 9])
    rows.remove(atOffsets: IndexSet([0, 4]))
    check(rows, [1, 2, 3, 6, 7, 8, 9])
    rows.removeSubrange(1...2)
    check(rows, [1, 6, 7, 8, 9])
    #expect(rows.removeFirst().id == 1 && rows.removeLast().id == 9 && rows.popLast()?.id == 8)
    check(rows, [6, 7])
    check(rows.filter { $0.id > 6 }, [7])
    rows.removeLast(1)
    rows.removeFirst(1)
    #expect(rows.popLast() == nil)
    rows = self.rows(1)
    rows.removeAll()
    check(rows, [])
  }

  @Test(
    "moves elements in front of another one",
    arguments: [
      ([0], 3, [2, 3, 1, 4]), ([3], 0, [4, 1, 2, 3]), ([0, 2], 4, [2, 4, 1, 3]), ([1, 2], 2, [1, 2, 3, 4]),
    ])
  func move(offsets: [Int], destination: Int, result: [Int]) {
    var rows = rows(1, 2, 3, 4)
    rows.move(fromOffsets: IndexSet(offsets), toOffset: destination)
    check(rows, result)
  }

  @Test("changes the order")
  func order() {
    var rows = rows(3, 1, 2)
    rows.sort()
    check(rows, [1, 2, 3])
    rows.swapAt(0, 2)
    check(rows, [3, 2, 1])
    rows.reverse()
    check(rows, [1, 2, 3])
    rows.sort { $0.id > $1.id }
    check(rows, [3, 2, 1])
    #expect(rows.partition { $0.id > 1 } == 1)
    #expect(rows[0].id == 1)
    check(rows, rows.map(\.id))
    rows.shuffle()
    check(rows, rows.map(\.id))
  }

  @Test("is made of elements with double ids as it is told, and refuses them when it is decoded")
  func duplicates() throws {
    let rows = IdentifiedArray([Row(id: 1, text: "a"), Row(id: 1, text: "b")]) {
      Row(id: 1, text: $0.text + $1.text)
    }
    #expect(Array(rows) == [Row(id: 1, text: "ab")])
    let data = try JSONEncoder().encode(rows)
    #expect(try JSONDecoder().decode(IdentifiedArrayOf<Row>.self, from: data) == rows)
    let double = try JSONEncoder().encode([Row(id: 1), Row(id: 1)])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(IdentifiedArrayOf<Row>.self, from: double)
    }
  }
}
