// How far back the hub can report removals, and that it never claims to reach further.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite struct RemovalsTests {
  private func entry(_ number: UInt64) -> Removals.Entry {
    let id = StoreID(serial: number, slot: Int(number))
    return Removals.Entry(
      position: number, removal: HubEvent.Removal(id: id, revision: number, version: 2, time: 0, uid: 0),
      name: try! StoreName("s\(number)"))
  }

  @Test("a floor that was given does not sink when removals below it are forgotten")
  func floor() {
    // As after a restart: all bookmarks below 100 were given up, and older removals are still remembered.
    var removals = Removals(limit: 3, floorRevision: 100)
    for number in 1...10 as ClosedRange<UInt64> {
      removals.append(entry(number))
      #expect(removals.floorRevision == 100)
    }
    for number in 200...210 as ClosedRange<UInt64> { removals.append(entry(number)) }
    #expect(removals.floorRevision == 207 && removals.floor == 207 && removals.count == 3)
  }

  @Test("removals are found by position and by revision, between entries and at them")
  func finding() {
    var removals = Removals(limit: 10)
    for number in [10, 20, 30] as [UInt64] { removals.append(entry(number)) }
    let next = ([0, 9, 10, 11, 29, 30, 31] as [UInt64]).map { removals.next(after: $0)?.position }
    #expect(next == [10, 10, 20, 20, 30, nil, nil])
    let last = ([0, 9, 10, 11, 20, 29, 30, 99] as [Revision]).map { removals.position(of: $0) }
    #expect(last == [0, 0, 10, 10, 20, 20, 30, 30])
    #expect(removals.entry(of: StoreID(serial: 20, slot: 20))?.name.text == "s20")
  }

  @Test("taking back removes what comes after the position, with its name, and nothing at it")
  func rewound() {
    var removals = Removals(limit: 10)
    for number in [10, 20, 30] as [UInt64] { removals.append(entry(number)) }
    removals.rewind(to: 20)
    var left: [UInt64] = []
    removals.forEach { left.append($0.position) }
    #expect(left == [10, 20] && removals.count == 2)
    #expect(removals.entry(of: StoreID(serial: 30, slot: 30))?.name == nil)
    #expect(removals.entry(of: StoreID(serial: 20, slot: 20))?.name != nil)
    // What is forgotten does not come back.
    var few = Removals(limit: 1)
    for number in [10, 20] as [UInt64] { few.append(entry(number)) }
    few.rewind(to: 0)
    #expect(few.count == 0 && few.floor == 10 && few.entry(of: StoreID(serial: 10, slot: 10))?.name == nil)
  }

  @Test(
    "a watch that resumes from before every store's last change is told what was removed",
    arguments: [false, true])
  func resumedBeforeEverything(fromImage: Bool) throws {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    _ = hub.write(session, .set("gone", .integer(1)))
    _ = hub.turn()
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.write(session, .remove("gone"))
    // The order of changes is compacted: no trace is left of what the bookmark had seen.
    for value in 2...200 as ClosedRange<Int64> { _ = hub.write(session, .set("a", .integer(value))) }
    _ = hub.turn()
    if fromImage {
      var options = HubEngine.Options()
      options.changeLogBytes = 64
      hub.engine = try EngineImage.engine(from: EngineImage.bytes(of: hub.engine), options: options)
    }
    let watcher = hub.connect(4)
    _ = hub.ask(watcher, .watch([.everything], policy: .latest, bookmark: bookmark))
    let events = try #require(hub.turn()[4])
    let removed = events.compactMap { event -> String? in
      if case .removed(let name, _, _, _) = event { name } else { nil }
    }
    #expect(removed == ["gone"])
    #expect(!events.contains { if case .forget = $0 { true } else { false } })
  }
}
