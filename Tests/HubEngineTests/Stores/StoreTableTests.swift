// The table of stores by itself: slots, numbers, memory, and what recovery and images may ask of it.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The table of stores")
struct StoreTableTests {
  private func insert(_ name: String, into table: inout StoreTable) -> Int {
    Array(name.utf8).withByteView { table.insert($0, schema: Schema(type: .string))! }
  }

  private func set(_ bytes: [UInt8], _ slot: Int, in table: inout StoreTable) {
    _ = bytes.withByteView { table.setValue($0, of: slot) }
  }

  @Test("a value is what was set last, of any length, and their lengths are counted")
  func values() {
    var table = StoreTable()
    let (slot, other) = (insert("a", into: &table), insert("b", into: &table))
    set([9, 9, 9], other, in: &table)
    for length in [0, 1, 15, 16, 17, 64, 65, 16, 3, 300, 1000, 250, 249, 64, 63, 16, 0, 5000, 1] {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
      set(bytes, slot, in: &table)
      #expect(table.value(of: slot).bytes.array == bytes)
      #expect(table.valueBytes == length + 3)
      #expect(table.value(of: other).bytes.array == [9, 9, 9])
    }
  }

  @Test("a store is found by its name and its number, and by neither once it is removed")
  func finding() {
    var table = StoreTable()
    var slots: [Int] = []
    for number in 0..<500 { slots.append(insert("store\(number)", into: &table)) }
    let ids = slots.map { table[$0].id }
    for number in stride(from: 0, to: 500, by: 3) {
      table.unlink(slots[number])
      table.free(slots[number])
    }
    #expect(table.count == 500 - 167 && table.freeSlots.count == 167 && table.used == 500)
    for number in 0..<500 {
      let expected = number % 3 == 0 ? nil : slots[number]
      let byName = Array("store\(number)".utf8).withByteView { table.find($0) }
      #expect(byName == expected && table.find(ids[number]) == expected)
      #expect(table.find(slot: slots[number]) == expected)
    }
    #expect(table.find(slot: 500) == nil && table.find(StoreID(raw: 0)) == nil)
    #expect(table.find(StoreID(serial: 501, slot: 500)) == nil)
    // A slot is used again, under a new number.
    let again = insert("again", into: &table)
    #expect(slots.contains(again) && table[again].id.serial == 501 && table.lastSerial == 501)
    #expect(table.isTaken(again, byNewerThan: StoreID(serial: 500, slot: again)) == true)
    #expect(table.isTaken(again, byNewerThan: StoreID(serial: 501, slot: again)) == false)
  }

  @Test(
    "the memory of free slots goes, with the slots that are behind all others, and the table is as before")
  func releases() {
    var table = StoreTable()
    let slots = (0..<3000).map { insert("store\($0)", into: &table) }
    for slot in slots { set([UInt8(slot & 255)], slot, in: &table) }
    func remove(_ range: Range<Int>) {
      for slot in range {
        table.unlink(slots[slot])
        table.free(slots[slot])
      }
    }
    remove(2500..<3000)
    remove(10..<20)
    remove(1000..<2400)
    let gone = (10..<20).map(Int32.init) + (1000..<2400).map(Int32.init)
    var bytes = 0
    func giveBack(_ memory: UnsafeMutableRawBufferPointer) {
      bytes += memory.count
      memory.initializeMemory(as: UInt8.self, repeating: 0)
    }
    // In two steps, and the tail as well.
    table.releaseFree(downTo: 2000, from: .max, giveBack)
    #expect(table.used == 2500 && bytes == 900 * MemoryLayout<StoreRecord>.stride)
    table.releaseFree(downTo: 0, from: 2000, giveBack)
    #expect(table.used == 2500 && bytes == 1900 * MemoryLayout<StoreRecord>.stride, "ten are not worth it")
    #expect(table.count == 1090 && Set(table.freeSlots) == Set(gone))
    for number in 0..<3000 {
      let stays = number < 2500 && !gone.contains(Int32(number))
      let slot = Array("store\(number)".utf8).withByteView { table.find($0) }
      #expect(slot == (stays ? slots[number] : nil))
      if let slot { #expect(table.value(of: slot).bytes.array == [UInt8(slot & 255)]) }
    }
    for number in 0..<5000 { set([UInt8(number & 255)], insert("new\(number)", into: &table), in: &table) }
    #expect(table.count == 6090 && table.used == 6090 && table.freeSlots.isEmpty)
    for number in 0..<5000 {
      let slot = Array("new\(number)".utf8).withByteView { table.find($0) }
      #expect(slot.map { table.value(of: $0).bytes.array } == [UInt8(number & 255)])
    }
  }

  private func recover(_ serial: UInt64, _ slot: Int, _ name: String, in table: inout StoreTable) -> Int? {
    Array(name.utf8).withByteView {
      table.recover(StoreID(serial: serial, slot: slot), name: $0, type: .integer, schema: nil)
    }
  }

  @Test("a store is recovered under its own number, whatever the order; one of an impossible number is not")
  func recovering() {
    var table = StoreTable()
    #expect(recover(9, 4, "a", in: &table) == 4)
    #expect(recover(2, 1, "b", in: &table) == 1)
    #expect(table[4].id.serial == 9 && table[1].id.serial == 2 && table.used == 5 && table.count == 2)
    #expect(recover(10, 4, "taken", in: &table) == nil)
    #expect(recover(0, 2, "none", in: &table) == nil)
    table.finishAdopting(serial: 20)
    #expect(table.lastSerial == 20 && table.freeSlots == [3, 2, 0])
    let next = insert("next", into: &table)
    #expect(next == 0 && table[next].id.serial == 21)
  }

  @Test("only the free slots, each once, are accepted as free slots")
  func freeSlots() {
    func table() -> StoreTable {
      var table = StoreTable()
      for (serial, slot) in [(1, 1), (2, 3)] as [(UInt64, Int)] {
        #expect(recover(serial, slot, "s\(slot)", in: &table) == slot)
      }
      return table
    }
    func accepts(_ slots: [Int32], used: Int) -> Bool {
      var table = table()
      guard table.restoreFreeSlots(slots, used: used, lastSerial: 7) else { return false }
      #expect(table.lastSerial == 7 && table.used == used && table.freeSlots == slots)
      return true
    }
    #expect(accepts([2, 0], used: 4))
    #expect(accepts([0, 4, 2], used: 5))
    #expect(!accepts([0], used: 3), "fewer than are used")
    #expect(!accepts([0], used: 4), "one is missing")
    #expect(!accepts([0, 0], used: 4), "one comes twice")
    #expect(!accepts([0, 1], used: 4), "one is taken")
    #expect(!accepts([0, -1], used: 4), "one is impossible")
    #expect(!accepts([0, 4], used: 4), "one is beyond the end")
  }
}
