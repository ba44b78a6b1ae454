// The order of names by itself: when it is brought up to date, and where a walk begins.

import TestSupport
import Testing

@testable import HubCore

@Suite("The order of names")
struct SortedNamesTests {
  private func names(_ numbers: Range<Int>, _ table: inout StoreTable) throws -> SortedNames {
    var names = SortedNames()
    for number in numbers {
      let name = try StoreName("s\(1000 + number)")
      let slot = Array(name.text.utf8).withByteView { table.insert($0, schema: Schema(type: .integer))! }
      names.insert(table[slot].id, name)
    }
    return names
  }

  private func walk(_ names: SortedNames, after name: String, _ table: borrowing StoreTable) -> [String] {
    var ids: [StoreID] = []
    names.walk(after: name) {
      ids.append($0)
      return ids.count < 3
    }
    return ids.map { table.name(of: table.find($0)!).text }
  }

  @Test("it is brought up to date by itself once removed stores outnumber the others, and are many")
  func settling() throws {
    var table = StoreTable()
    var names = try names(0..<129, &table)
    names.settle(with: table)
    for _ in 0..<64 { names.remove() }
    #expect(!names.wantsSettling)
    names.remove()
    #expect(names.wantsSettling)
    let id = StoreID(serial: 500, slot: 500)
    names.insert(id, try StoreName("new"))
    #expect(!names.wantsSettling, "removed stores are not more than half")
    var few = SortedNames()
    for _ in 0..<64 { few.remove() }
    #expect(!few.wantsSettling)
  }

  @Test("a walk begins behind a name, whether it is there or not, and ends when it is told to")
  func walking() throws {
    var table = StoreTable()
    var names = try names(0..<10, &table)
    names.settle(with: table)
    #expect(walk(names, after: "", table) == ["s1000", "s1001", "s1002"])
    #expect(walk(names, after: "s1004", table) == ["s1005", "s1006", "s1007"])
    #expect(walk(names, after: "s10045", table) == ["s1005", "s1006", "s1007"])
    #expect(walk(names, after: "s1008", table) == ["s1009"])
    #expect(walk(names, after: "s1009", table).isEmpty)
  }

  @Test("new names are merged into the others, and removed stores are gone")
  func merging() throws {
    var table = StoreTable()
    var names = SortedNames()
    for number in [5, 1, 9] {
      let slot = Array("s\(number)".utf8).withByteView { table.insert($0, schema: Schema(type: .integer))! }
      names.insert(table[slot].id, try StoreName("s\(number)"))
    }
    names.settle(with: table)
    for number in [7, 0, 3] {
      let slot = Array("s\(number)".utf8).withByteView { table.insert($0, schema: Schema(type: .integer))! }
      names.insert(table[slot].id, try StoreName("s\(number)"))
    }
    // One of the old and one of the new names.
    for name in ["s1", "s7"] {
      let slot = Array(name.utf8).withByteView { table.find($0)! }
      table.unlink(slot)
      table.free(slot)
      names.remove()
    }
    names.settle(with: table)
    #expect(walk(names, after: "", table) == ["s0", "s3", "s5"])
    #expect(walk(names, after: "s5", table) == ["s9"])
  }
}
