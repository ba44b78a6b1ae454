// Disks that fail at every step, at the start and while the hub runs: what was acknowledged can be read, what must be
// stored is refused, and when the disk works again all of that ends by itself.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal: disks that fail at every step", .blocking)
struct StartFaultTests {
  /// Full, quota, too long a file, read-only, broken.
  static let codes = [ENOSPC, EDQUOT, EFBIG, EROFS, EIO]

  /// A directory with acknowledged values, and its content.
  private func place(_ directory: TemporaryDirectory, endsWell: Bool) throws -> [String: Content] {
    let hub = try JournalHub(directory.file("state"))
    _ = hub.create("s", Schema(type: .integer, durability: .synced))
    for value in 1...3 { #expect(hub.set("s", Int64(value)) == .done(.synced)) }
    #expect(hub.set("r", 1) == .done(.relaxed))
    let content = hub.content()
    if endsWell { hub.stop() }
    return content
  }

  /// What a failing step at a start does.
  private static let startSteps: [Failpoint] = [
    .segmentCreate, .segmentWrite, .segmentSync, .segmentRename, .segmentSyncDirectory, .recoverSync, .unlink,
  ]

  /// Each step with one of the others, in turn; with `STATEHUB_TEST_PLACES=1`, each with all of them, which takes minutes.
  private static func pairs<Other>(_ others: [Other], _ steps: [Failpoint]) -> [(Other, Failpoint)] {
    isEveryPlaceTried
      ? steps.flatMap { step in others.map { ($0, step) } }
      : steps.enumerated().map { (others[$0.offset % others.count], $0.element) }
  }

  private static let startFaults = pairs(codes, startSteps)

  @Test(
    "a start on a disk that fails serves what was acknowledged, refuses what has to be stored, and mends by itself",
    arguments: startFaults)
  func start(code: Int32, step: Failpoint) throws {
    for endsWell in [true, false] {
      let directory = try TemporaryDirectory(inMemory: true)
      let path = directory.file("state")
      let before = try place(directory, endsWell: endsWell)
      try directory.write("", to: "state/journal-00000000000000ff.new")
      let disk = FaultyDisk(.error(step, code))
      let hub = try JournalHub(path, disk: disk.disk)
      #expect(hub.content() == before)
      if step == .unlink {
        #expect(hub.set("r", 2) == .done(.relaxed))
        continue
      }
      #expect(hub.set("r", 2) == .refused(.storageFailed))
      #expect(hub.set("new", 2) == .refused(.storageFailed))
      #expect(hub.create("v", Schema(type: .integer, durability: .volatile)) == .done(.volatile))
      #expect(hub.set("v", 2) == .done(.volatile))
      #expect(hub.notes.contains { $0.contains("a new epoch begins") }, "\(hub.notes)")
      #expect(hub.journal.notes.take().map(\.id) == [.storageFails])
      // Tried again with the disk unchanged, it stays the same; what can no longer be synced is left behind.
      if step != .recoverSync {
        #expect(!hub.settle(turns: 30) { $0.engine.isJournalOpen })
        #expect(hub.set("s", 4) == .refused(.storageFailed))
        #expect(hub.content()["s"] == before["s"])
      }
      disk.mend()
      #expect(hub.settle { $0.engine.isJournalOpen }, "\(step) \(code)")
      #expect(hub.set("s", 4) == .done(.synced))
      #expect(hub.set("r", 4) == .done(.relaxed))
      #expect(hub.journal.notes.take().map(\.id) == [.storageWorks])
      let (content, epoch) = (hub.content(), hub.engine.epoch)
      _ = consume hub
      // No retry is making one any more.
      let left = directory.names(in: "state").filter { $0.hasSuffix(".new") }
      #expect(left.isEmpty || left == ["journal-00000000000000ff.new"], "\(left)")
      let again = try JournalHub(path)
      #expect(again.content() == content.filter { $0.key != "v" })
      #expect(again.engine.epoch == epoch, "the epoch of the life that could not write is on the disk now")
    }
  }

  @Test("a first start on a disk that fails begins to write by itself", arguments: startFaults)
  func firstStart(code: Int32, step: Failpoint) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk(.error(step, code))
    let hub = try JournalHub(path, disk: disk.disk)
    if !hub.engine.isJournalOpen { #expect(hub.set("a", 1) == .refused(.storageFailed)) }
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("a", 2) == .done(.relaxed))
    let content = hub.content()
    _ = consume hub
    #expect(try JournalHub(path).content() == content)
  }

  @Test(
    "a hub that is killed before it could write has lost nothing, and used no number twice",
    arguments: startSteps)
  func killedMeanwhile(step: Failpoint) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let before = try place(directory, endsWell: false)
    var used: [Epoch: Revision] = [:]
    for round in 0..<3 {
      let disk = FaultyDisk(.error(step, ENOSPC))
      let hub = try JournalHub(path, disk: disk.disk)
      #expect(hub.content().filter { $0.key != "v" } == before)
      // What it shows has numbers, although nothing can be recorded.
      let first = hub.engine.revision
      _ = hub.create("v", Schema(type: .integer, durability: .volatile))
      for value in 0..<5 { _ = hub.set("v", Int64(value)) }
      #expect(used[hub.engine.epoch] ?? 0 <= first, "round \(round)")
      used[hub.engine.epoch] = hub.engine.revision
      // A kill: the thread ends with the hub, and nothing more is written.
      if round == 1 { _ = hub.settle(turns: 20) }
    }
    let hub = try JournalHub(path)
    #expect(hub.content() == before)
    #expect(used[hub.engine.epoch] ?? 0 <= hub.engine.revision)
    #expect(hub.set("s", 9) == .done(.synced))
  }

  /// What a failing step while the hub runs refuses.
  private static let runSteps: [Failpoint] = [
    .append, .sync, .mark, .markSync, .reserve, .segmentCreate, .segmentWrite,
    .segmentSync, .segmentRename, .segmentSyncDirectory, .snapshotCreate, .snapshotWrite, .snapshotSync,
    .snapshotRename, .snapshotSyncDirectory, .unlink, .unlinkSyncDirectory,
  ]

  @Test(
    "whatever fails while the hub runs, reads continue, nothing acknowledged is lost, and it mends by itself",
    arguments: pairs(codes, runSteps))
  func run(code: Int32, step: Failpoint) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    _ = try place(directory, endsWell: true)
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    var known = hub.content()
    func expect(_ name: String, _ value: Int64, _ outcome: Outcome) {
      switch outcome {
      case .done: known[name]?.value = .integer(value)
      case .refused(.durabilityUnknown): known[name]?.value = .integer(value)
      case .refused(let code): #expect(code == .storageFailed)
      }
      #expect(hub.content().mapValues(\.value) == known.mapValues(\.value), "\(step), \(name) = \(value)")
    }
    // A renewal is only reached after a sync that failed.
    for fault in [FaultyDisk.Fault.error(step, code), .error(.sync, EIO), .error(step, code)] {
      disk.begin(fault)
      if step == .reserve { hub.exhaustRoom() }
      for value in 10...12 {
        expect("r", Int64(value), hub.set("r", Int64(value)))
        expect("s", Int64(value), hub.set("s", Int64(value)))
        hub.journal.compactAfter = 0
        hub.snapshot()
      }
      _ = hub.settle(turns: 20)
      expect("r", 20, hub.set("r", 20))
    }
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen }, "\(step)")
    for name in ["r", "s"] {
      let outcome = hub.set(name, 99)
      #expect(outcome == .done(name == "r" ? .relaxed : .synced), "\(step)")
      expect(name, 99, outcome)
    }
    hub.journal.compactAfter = 0
    hub.snapshot()
    let content = hub.content()
    _ = consume hub
    #expect(directory.names(in: "state").allSatisfy { !$0.hasSuffix(".new") })
    let again = try JournalHub(path)
    #expect(again.content() == content && again.notes.isEmpty, "\(again.notes)")
  }

  /// A hub on what a kill would leave of the state directory at this moment, copied under that name.
  private func killed(
    _ path: String, in directory: borrowing TemporaryDirectory, _ name: String = "copy"
  ) throws -> JournalHub {
    let copy = directory.file(name)
    try writeFiles(standingFiles(in: path), to: copy)
    return try JournalHub(copy)
  }

  @Test(
    "two faults in a row, and a kill between any of them, lose nothing that was acknowledged",
    arguments: pairs([Failpoint.append, .sync, .segmentRename, .snapshotWrite, .snapshotRename], runSteps))
  func twice(second: Failpoint, step: Failpoint) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    // What may be found: the last acknowledged value, or one that was set since and may be lost.
    var possible: [Value?] = [nil]
    var value: Int64 = 0
    for fault in [FaultyDisk.Fault.part(.append, EIO), .error(step, EIO), .error(second, ENOSPC)] {
      disk.begin(fault)
      for _ in 0..<3 {
        value += 1
        switch hub.set("a", value) {
        case .done: possible = [.integer(value)]
        case .refused(.durabilityUnknown): possible.append(.integer(value))
        case .refused(let code): #expect(code == .storageFailed)
        }
        hub.journal.compactAfter = 0
        hub.snapshot()
      }
      _ = hub.settle(turns: 5)
      let found = try killed(path, in: directory, "copy\(value)").content()["a"]?.value
      #expect(possible.contains(found), "\(step), \(second): \(String(describing: found)), \(possible)")
    }
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("a", 1000) == .done(.relaxed))
    _ = consume hub
    #expect(try JournalHub(path).content()["a"]?.value == .integer(1000))
  }

  @Test(
    "a segment whose head could not be written is passed over, by a hub that was killed, reloaded or neither")
  func headless() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    #expect(hub.set("a", 1) == .done(.relaxed))
    disk.begin(.part(.append, EIO))
    #expect(hub.set("a", 2) == .refused(.durabilityUnknown))
    let first = hub.journal.state.segment.header.number
    #expect(hub.settle { $0.journal.state.nextNumber > first + 1 && $0.journal.retry != nil })
    #expect(hub.journal.state.end.segment == first, "the new segment has no head")
    disk.begin(.error(.snapshotRename, EIO))
    // The next one has a head, which is on the disk.
    #expect(
      hub.settle {
        $0.journal.state.end.segment > first + 1 && $0.journal.worker.durable >= $0.journal.state.end
      })
    #expect(try killed(path, in: directory).content()["a"]?.value == .integer(1))
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("a", 3) == .done(.relaxed))
    _ = consume hub
    #expect(try JournalHub(path).content()["a"]?.value == .integer(3))
  }

  @Test("a sync while the newest segment has no head yet vouches for nothing in it")
  func headlessSync() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    #expect(hub.set("a", 1) == .done(.relaxed))
    // Every record fails from here on: the hub's new segments have no head.
    disk.begin(.part(.append, EIO))
    #expect(hub.set("a", 2) == .refused(.durabilityUnknown))
    let end = hub.journal.state.end
    #expect(hub.settle { $0.journal.state.nextNumber > end.segment + 1 && $0.journal.retry != nil })
    hub.journal.hasten()
    #expect(hub.settle { $0.journal.worker.durable >= end })
    #expect(hub.journal.worker.durable == end && hub.journal.state.end == end)
    #expect(try killed(path, in: directory).content()["a"]?.value == .integer(1))
  }
}
