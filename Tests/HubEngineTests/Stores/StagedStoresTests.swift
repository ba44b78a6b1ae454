// Stores that come all at once: found by number at once, and by name when all are there.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Staged stores")
struct StagedStoresTests {
  private func stage(
    _ serial: UInt64, _ slot: Int, _ name: String, in table: inout StoreTable, _ staged: inout StagedNames
  ) -> Bool {
    let isStaged = Array(name.utf8).withByteView {
      table.stage(StoreID(serial: serial, slot: slot), name: $0, type: .string, in: &staged)
    }
    if isStaged { _ = Array(name.utf8).withByteView { table.setValue($0, of: slot) } }
    return isStaged
  }

  private func find(_ name: String, in table: borrowing StoreTable) -> Int? {
    Array(name.utf8).withByteView { table.find($0) }
  }

  @Test("thousands of stores are found by name and number, with free slots between them")
  func many() {
    var table = StoreTable()
    var staged = StagedNames()
    var length = 0
    for index in 0..<5000 {
      #expect(stage(UInt64(index + 1), index + index / 100, "name.\(index)", in: &table, &staged))
      length += "name.\(index)".utf8.count
    }
    #expect(table.link(&staged) == [] && staged.isEmpty)
    #expect(
      table.count == 5000 && table.used == 5049 && table.valueBytes == length && table.lastSerial == 5000)
    for index in 0..<5000 {
      let slot = index + index / 100
      #expect(find("name.\(index)", in: table) == slot && table[slot].id.serial == UInt64(index + 1))
      #expect(table.value(of: slot).value == .string("name.\(index)"))
    }
    #expect(find("name.5000", in: table) == nil && table.find(slot: 100) == nil)
    table.unlink(7)
    #expect(find("name.7", in: table) == nil && table.count == 4999)
  }

  @Test("a slot before one that was used is refused")
  func order() {
    var table = StoreTable()
    var staged = StagedNames()
    #expect(stage(1, 3, "a", in: &table, &staged))
    #expect(!stage(2, 3, "b", in: &table, &staged) && !stage(2, 1, "b", in: &table, &staged))
    #expect(table.count == 1 && table.used == 4)
  }

  @Test("of two with one name the younger is found, whichever comes first", arguments: [true, false])
  func sameName(youngerFirst: Bool) {
    var table = StoreTable()
    var staged = StagedNames()
    #expect(stage(youngerFirst ? 9 : 2, 0, "twice", in: &table, &staged))
    #expect(stage(3, 1, "once", in: &table, &staged))
    #expect(stage(youngerFirst ? 2 : 9, 2, "twice", in: &table, &staged))
    let (younger, older) = youngerFirst ? (0, 2) : (2, 0)
    #expect(table.link(&staged) == [older])
    #expect(find("twice", in: table) == younger && table[younger].id.serial == 9)
    #expect(find("once", in: table) == 1 && table.find(slot: older) == nil)
    #expect(table.count == 2 && table.valueBytes == 9)
    table.free(older)
    // Its slot can be used.
    #expect(table.freeSlots == [Int32(older)])
    table.unlink(younger)
    #expect(find("twice", in: table) == nil)
  }

  @Test("names that come when others are there already are found beside them")
  func beside() {
    var table = StoreTable()
    var staged = StagedNames()
    _ = Array("first".utf8).withByteView { table.insert($0, schema: Schema(type: .integer)) }
    #expect(stage(7, 1, "second", in: &table, &staged))
    #expect(table.link(&staged) == [])
    #expect(find("first", in: table) == 0 && find("second", in: table) == 1)
  }
}
