// Writes that wait for the disk and arrive in turns that follow each other share one sync.

import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal: writes that are synced together", .blocking)
struct GatheringTests {
  private let directory: TemporaryDirectory
  private let hub: JournalHub
  private var journal: Journal { hub.journal }

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    hub = try JournalHub(directory.file("state"))
    _ = hub.create("s", Schema(type: .integer, durability: .synced))
    #expect(hub.waitForDisk() && !journal.isGathering)
  }

  /// A turn in which the store is set, or nothing is.
  private func turn(setting value: Int64?, after nanoseconds: UInt64) throws {
    let now = Instant(wall: hub.now.wall, boot: hub.now.boot + nanoseconds)
    if let value {
      var frame = OutputBuffer()
      Request.write(.set(.name(try StoreName("s")), .integer(value))).encode(into: &frame, id: 1)
      #expect(hub.carryOut([frame.array]).isSynced)
    }
    #expect(journal.commit(&hub.engine, isAwaited: value != nil, now: now) == nil)
    journal.gather(isAwaited: value != nil, now: now)
    let turn = hub.engine.seal(hub.engine.openTurn())
    while hub.engine.nextDue(in: turn) != nil {}
    hub.engine.end(turn)
  }

  private func isSynced() -> Bool {
    let end = journal.state.end
    return hub.settle { _ in self.journal.worker.durable >= end }
  }

  @Test("the sync waits as long as each turn brings another one")
  func untilNoMore() throws {
    try turn(setting: 1, after: 0)
    #expect(journal.isGathering)
    try turn(setting: 2, after: 100_000)
    #expect(journal.isGathering)
    try turn(setting: nil, after: 110_000)
    #expect(!journal.isGathering)
    #expect(isSynced())
  }

  @Test("but for at most 0.2 ms", arguments: [199_999, 200_000] as [UInt64])
  func atMost(time: UInt64) throws {
    try turn(setting: 1, after: 0)
    try turn(setting: 2, after: time)
    #expect(journal.isGathering == (time < 200_000))
    journal.hasten()
    // The next ones have the whole time again.
    try turn(setting: 3, after: 300_000)
    try turn(setting: 4, after: 499_999)
    #expect(journal.isGathering)
    try turn(setting: 5, after: 500_000)
    #expect(!journal.isGathering)
    #expect(isSynced())
  }

  @Test("a reply that waits for what is written already hastens it")
  func hastened() throws {
    try turn(setting: 1, after: 0)
    journal.hasten()
    #expect(!journal.isGathering)
    #expect(isSynced())
  }

  @Test("a stop, and a hand-off, sync what was gathered")
  func ends() throws {
    try turn(setting: 1, after: 0)
    #expect(journal.isGathering)
    journal.quiesce(&hub.engine, now: hub.now)
    #expect(!journal.isGathering && journal.worker.durable == journal.state.end)
  }
}
