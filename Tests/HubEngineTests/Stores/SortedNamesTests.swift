// The order of names by itself: what comes and goes keeps its place, and what came all at once is put there step by step.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The order of names")
struct SortedNamesTests {
  private func insert(_ name: String, _ table: inout StoreTable) -> Int {
    Array(name.utf8).withByteView { table.insert($0, schema: Schema(type: .integer))! }
  }

  private func walk(
    _ names: SortedNames, after name: String = "", most: Int = .max, _ table: borrowing StoreTable
  ) -> [String] {
    var slots: [Int] = []
    Array(name.utf8).withByteView { name in
      names.walk(after: name, in: table) {
        slots.append($0)
        return slots.count < most
      }
    }
    return slots.map { table.name(of: $0).text }
  }

  @Test("a walk begins behind a name, whether it is there or not, and ends when it is told to")
  func walking() {
    var table = StoreTable()
    var names = SortedNames()
    for number in 1000..<1010 { names.insert(insert("s\(number)", &table), in: table) }
    #expect(walk(names, most: 3, table) == ["s1000", "s1001", "s1002"])
    #expect(walk(names, after: "s1004", most: 3, table) == ["s1005", "s1006", "s1007"])
    #expect(walk(names, after: "s10045", most: 3, table) == ["s1005", "s1006", "s1007"])
    #expect(walk(names, after: "s1008", table) == ["s1009"])
    #expect(walk(names, after: "s1009", table).isEmpty)
  }

  @Test("whatever comes and goes, the order is that of the names", arguments: 0..<4 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = StoreTable()
    var names = SortedNames()
    var model: Set<String> = []
    for step in 0..<4000 {
      let name = "n\(Int.random(in: 0..<1500, using: &random))" + (step % 3 == 0 ? ".x" : "")
      if let slot = Array(name.utf8).withByteView({ table.find($0) }) {
        names.remove(slot, in: table)
        table.unlink(slot)
        table.free(slot)
        model.remove(name)
      } else {
        names.insert(insert(name, &table), in: table)
        model.insert(name)
      }
    }
    let sorted = model.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(sorted.count > 600 && walk(names, table) == sorted)
    let middle = sorted[sorted.count / 2]
    #expect(walk(names, after: middle, table) == Array(sorted[(sorted.count / 2 + 1)...]))
  }

  @Test("stores that come all at once are put in order by steps, also while others come and go")
  func steps() {
    var table = StoreTable()
    var names = SortedNames()
    names.pause()
    for number in 0..<500 { names.insert(insert("s\(number)", &table), in: table) }
    names.resume(used: table.used)
    #expect(!names.isComplete && walk(names, table).isEmpty)
    var model = Set((0..<500).map { "s\($0)" })
    var steps = 0
    while true {
      var effort = Effort(Cost.sorted * 20)
      if names.complete(with: table, &effort) { break }
      steps += 1
      // One that may be there already goes, and another takes its slot.
      let slot = Array("s\(steps * 17)".utf8).withByteView { table.find($0)! }
      names.remove(slot, in: table)
      table.unlink(slot)
      table.free(slot)
      names.insert(insert("t\(steps)", &table), in: table)
      model.remove("s\(steps * 17)")
      model.insert("t\(steps)")
    }
    #expect(steps >= 20 && names.isComplete)
    #expect(walk(names, table) == model.sorted())
  }
}
