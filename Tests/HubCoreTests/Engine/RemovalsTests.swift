// How far back the hub can tell who has gone, and that this never reaches further than it was said to.

import Testing

@testable import HubCore

@Suite struct RemovalsTests {
  private func entry(_ number: UInt64) -> Removals.Entry {
    let id = StoreID(serial: number, slot: Int(number))
    return Removals.Entry(
      position: number, removal: HubEvent.Removal(id: id, revision: number, version: 2, time: 0, uid: 0),
      name: try! StoreName("s\(number)"))
  }

  @Test("a floor that was given does not sink when removals below it are forgotten")
  func floor() {
    // As after a restart: all bookmarks below 100 were given up, and older removals are remembered still.
    var removals = Removals(limit: 3, floorRevision: 100)
    for number in 1...10 as ClosedRange<UInt64> {
      removals.append(entry(number))
      #expect(removals.floorRevision == 100)
    }
    for number in 200...210 as ClosedRange<UInt64> { removals.append(entry(number)) }
    #expect(removals.floorRevision == 207 && removals.floor == 207 && removals.count == 3)
  }
}
