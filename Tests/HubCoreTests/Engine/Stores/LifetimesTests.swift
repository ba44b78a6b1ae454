// The heap of deadlines, and what sessions own, by themselves.

import TestSupport
import Testing

@testable import HubCore

@Suite("Lifetimes")
struct LifetimesTests {
  private func deadline(_ time: UInt64, _ serial: UInt64) -> Lifetimes.Deadline {
    Lifetimes.Deadline(time: time, id: StoreID(serial: serial, slot: Int(serial)), lifetime: 0)
  }

  private func key(_ deadline: Lifetimes.Deadline) -> [UInt64] { [deadline.time, deadline.id.serial] }

  @Test(
    "values end in the order of their times, and at one time in the order of their stores", arguments: 0..<20)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var lifetimes = Lifetimes()
    var left: [[UInt64]] = []
    for serial in 1...200 as ClosedRange<UInt64> {
      let next = deadline(.random(in: 1...30, using: &random), serial)
      lifetimes.add(next)
      left.append(key(next))
      if Int.random(in: 0..<3, using: &random) == 0 {
        left.sort { $0.lexicographicallyPrecedes($1) }
        #expect(lifetimes.earliest.map(key) == left.removeFirst())
        lifetimes.removeEarliest()
      }
    }
    left.sort { $0.lexicographicallyPrecedes($1) }
    while let earliest = lifetimes.earliest, !left.isEmpty {
      #expect(key(earliest) == left.removeFirst())
      lifetimes.removeEarliest()
    }
    #expect(lifetimes.earliest == nil && left.isEmpty)
  }

  @Test("the heap is rebuilt once outdated deadlines outnumber the others, in the right order")
  func rebuild() {
    var stores = StoreTable()
    var lifetimes = Lifetimes()
    var ids: [StoreID] = []
    for number in 0..<32 {
      let slot = Array("s\(number)".utf8).withByteView { stores.insert($0, schema: Schema(type: .integer))! }
      ids.append(stores[slot].id)
      // The last ends first.
      stores[slot].deadline = UInt64(100 - number)
      for time in [UInt64(500 + number), UInt64(100 - number)] {
        lifetimes.add(Lifetimes.Deadline(time: time, id: stores[slot].id, lifetime: 0))
      }
    }
    lifetimes.live = 32
    #expect(!lifetimes.wantsRebuild)
    lifetimes.live = 31
    #expect(lifetimes.wantsRebuild)
    lifetimes.rebuild(with: stores)
    #expect(!lifetimes.wantsRebuild)
    var found: [StoreID] = []
    while let earliest = lifetimes.earliest {
      found.append(earliest.id)
      lifetimes.removeEarliest()
    }
    #expect(found == ids.reversed())
  }

  @Test("a session's list is tidied once it is long: what it no longer owns, and what is there twice, goes")
  func tidying() {
    var stores = StoreTable()
    var lifetimes = Lifetimes()
    let session = SessionID(raw: 5)
    var ids: [StoreID] = []
    for number in 0..<33 {
      let slot = Array("s\(number)".utf8).withByteView { stores.insert($0, schema: Schema(type: .integer))! }
      ids.append(stores[slot].id)
      stores[slot].owner = number == 7 ? 6 : 5
    }
    for id in ids.prefix(32) + ids.prefix(32) { lifetimes.own(id, session: session) }
    #expect(!lifetimes.wantsTidying(of: session) && !lifetimes.wantsTidying(of: SessionID(raw: 6)))
    lifetimes.own(ids[32], session: session)
    #expect(lifetimes.wantsTidying(of: session))
    lifetimes.tidy(session, with: stores)
    let expected = ids.filter { $0 != ids[7] }
    #expect(lifetimes.owned(by: session) == expected && !lifetimes.wantsTidying(of: session))
    let sorted = expected.sorted { $0.raw < $1.raw }
    #expect(
      lifetimes.takeOwned(by: session, most: 5) == Array(sorted.prefix(5)) && lifetimes.hasOwned(by: session))
    #expect(lifetimes.takeOwned(by: session, most: 100) == Array(sorted.dropFirst(5)))
    #expect(lifetimes.owned(by: session).isEmpty && !lifetimes.hasOwned(by: session))
  }

  @Test("a list of many stores that are all owned is not checked again before it is twice as long")
  func limit() {
    var stores = StoreTable()
    var lifetimes = Lifetimes()
    let session = SessionID(raw: 5)
    var ids: [StoreID] = []
    for number in 0..<100 {
      let slot = Array("s\(number)".utf8).withByteView { stores.insert($0, schema: Schema(type: .integer))! }
      ids.append(stores[slot].id)
      stores[slot].owner = 5
    }
    for id in ids { lifetimes.own(id, session: session) }
    lifetimes.tidy(session, with: stores)
    for id in ids { lifetimes.own(id, session: session) }
    #expect(!lifetimes.wantsTidying(of: session))
    lifetimes.own(ids[0], session: session)
    #expect(lifetimes.wantsTidying(of: session))
  }
}
