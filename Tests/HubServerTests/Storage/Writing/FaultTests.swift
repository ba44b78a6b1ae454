// A disk that fails, step by step: what must be stored is refused before it changes anything; what fails after that is in force and
// said to be unknown; the rest continues, and service resumes.

import Glibc
import HubCore
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal: failing disks", .blocking)
struct FaultTests {
  @Test(
    "a write without room on the disk is refused and changes nothing, and the rest continues",
    arguments: StartFaultTests.codes)
  func room(code: Int32) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    #expect(hub.create("v", Schema(type: .integer, durability: .volatile)) == .done(.volatile))
    #expect(hub.set("a", 1) == .done(.relaxed))
    let before = hub.content()
    disk.begin(.error(.reserve, code))
    hub.exhaustRoom()
    #expect(hub.set("a", 2) == .refused(.storageFailed))
    #expect(hub.set("new", 2) == .refused(.storageFailed))
    let names = ["a", "v"].map { StoreReference.name(try! StoreName($0)) }
    let both = hub.ask([.transaction(names.map { .set($0, .integer(3)) })]).first
    guard case .error(let error)? = both else { throw TestFailure("\(String(describing: both))") }
    #expect(error.code == .storageFailed)
    #expect(hub.write(.remove(names[0])) == .refused(.storageFailed))
    #expect(hub.content() == before)
    #expect(hub.set("v", 4) == .done(.volatile))
    #expect(hub.set("v", 5, lifetime: Lifetime(ephemeral: true)) == .done(.volatile))
    #expect(hub.set("e", 4, lifetime: Lifetime(ephemeral: true)) == .done(.volatile), "it need not be kept")
    #expect(hub.set("a", 1) == .done(.relaxed), "an equal value asks nothing of the disk")
    let number = hub.journal.state.segment.header.number
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.journal.state.segment.header.number == number, "the same file continues")
    #expect(hub.set("a", 5) == .done(.relaxed))
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.content()["a"]?.value == .integer(5))
    #expect(again.content()["new"] == nil)
  }

  @Test("room is made for a write that needs more than is kept ahead, and a little is always kept")
  func largeWrites() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    var disk = Disk()
    disk.firstLength = 16 << 10
    let hub = try JournalHub(directory.file("state"), disk: disk)
    for length in [1, 200_000, 900_000, 1_000_000] {
      let blob = Value.data([UInt8](repeating: 7, count: length))
      #expect(hub.write(.set(.name(try StoreName("blob")), blob)) == .done(.relaxed))
      #expect(hub.journal.room > 100_000, "\(length)")
      #expect(hub.journal.room < 4 << 20, "\(length)")
    }
    let many = try (0..<20).map {
      WriteOperation.set(.name(try StoreName("b\($0)")), .data([UInt8](repeating: 7, count: 50_000)))
    }
    guard case .committed? = hub.ask([.transaction(many)]).first else { throw TestFailure("not committed") }
    let content = hub.content()
    _ = consume hub
    #expect(try JournalHub(directory.file("state")).content() == content)
  }

  @Test(
    "what cannot be written although there was room is in force, its writers get that it may be lost, and a snapshot stores it",
    arguments: StartFaultTests.codes)
  func append(code: Int32) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    _ = hub.create("v", Schema(type: .integer, durability: .volatile))
    _ = hub.set("a", 1)
    _ = hub.set("gone", 1)
    disk.begin(.error(.append, code))
    let replies = hub.ask([
      .set("a", .integer(2)), .set("v", .integer(9)), .get("a"),
      .write(.remove(.name(try StoreName("gone")))), .set("fresh", .integer(1)),
    ])
    let codes = replies.map { reply -> HubError.Code? in
      if case .error(let error) = reply { error.code } else { nil }
    }
    #expect(codes == [.durabilityUnknown, nil, nil, .durabilityUnknown, .durabilityUnknown])
    guard case .value(let state) = replies[2] else { throw TestFailure("\(replies[2])") }
    #expect(state.value == .integer(2))
    #expect(hub.set("a", 3) == .refused(.storageFailed))
    #expect(hub.set("v", 10) == .done(.volatile))
    let content = hub.content()
    #expect(content["a"]?.value == .integer(2) && content["gone"] == nil)
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.content() == content)
    _ = consume hub
    #expect(try JournalHub(path).content() == content.filter { $0.key != "v" })
  }

  @Test(
    "a hub that is killed while the journal lacks what was shown begins a new epoch, and one that is not keeps it",
    arguments: [Failpoint.append, .sync, .reserve])
  func killedMeanwhile(point: Failpoint) throws {
    for isMended in [false, true] {
      let directory = try TemporaryDirectory(inMemory: true)
      let path = directory.file("state")
      let disk = FaultyDisk()
      let hub = try JournalHub(path, disk: disk.disk, noted: directory.path)
      _ = hub.create("s", Schema(type: .integer, durability: .synced))
      _ = hub.create("t", Schema(type: .integer, initial: .integer(7)))
      #expect(hub.set("t", 1, lifetime: Lifetime(ttl: 1)) == .done(.relaxed))
      #expect(hub.set("s", 1) == .done(.synced))
      let epoch = hub.engine.epoch
      disk.begin(.error(point, EIO))
      if point == .reserve { hub.exhaustRoom() }
      #expect(hub.set("s", 2) == .refused(point == .reserve ? .storageFailed : .durabilityUnknown))
      if isMended {
        disk.mend()
        #expect(hub.settle { $0.engine.isJournalOpen })
        #expect(hub.set("s", 3) == .done(.synced))
      } else {
        // This happens by itself, and the journal takes nothing.
        hub.engine.expire(
          in: hub.engine.openTurn(), now: Instant(wall: hub.now.wall, boot: hub.now.boot + 1_000_000_000))
        #expect(hub.content()["t"]?.value == .integer(7))
      }
      _ = consume hub
      let again = try JournalHub(path, noted: directory.path)
      #expect((again.engine.epoch == epoch) == isMended)
      #expect(again.notes.contains { $0.contains("the disk had failed") } != isMended, "\(again.notes)")
      #expect(isMended == false || again.content()["s"]?.value == .integer(3))
      let now = again.engine.epoch
      #expect(again.set("s", 4) == .done(.synced))
      _ = consume again
      #expect(try JournalHub(path, noted: directory.path).engine.epoch == now)
    }
  }

  @Test(
    "when the disk does not confirm, every waiting writer is told, and writing continues in a new file with everything in it"
  )
  func sync() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    _ = hub.create("s", Schema(type: .integer, durability: .synced))
    #expect(hub.set("s", 1) == .done(.synced))
    disk.begin(.error(.sync, EIO))
    #expect(hub.set("s", 2) == .refused(.durabilityUnknown))
    #expect(hub.content()["s"]?.value == .integer(2), "it is in force")
    #expect(hub.set("s", 3) == .refused(.storageFailed))
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("s", 4) == .done(.synced))
    let names = try stateFiles(in: path).keys.sorted()
    #expect(names.count == 2 && names.last?.hasPrefix("snapshot") == true, "\(names)")
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.content()["s"]?.value == .integer(4))
  }

  @Test("a step of a snapshot that fails loses nothing and refuses nothing", arguments: Failpoint.allCases)
  func snapshot(point: Failpoint) throws {
    guard
      "\(point)".hasPrefix("snapshot") || "\(point)".hasPrefix("segment") || "\(point)".hasPrefix("unlink")
    else { return }
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    for value in 0..<20 { _ = hub.set("a\(value)", Int64(value)) }
    disk.begin(.error(point, EIO))
    hub.snapshot()
    #expect(hub.set("b", 1) == .done(.relaxed))
    disk.mend()
    hub.journal.compactAfter = 0
    hub.snapshot()
    #expect(hub.set("b", 2) == .done(.relaxed))
    let content = hub.content()
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.content() == content)
  }

  @Test("a directory that is removed under the hub is made again, with everything in it")
  func removed() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let hub = try JournalHub(path)
    for value in 0..<20 { _ = hub.set("a\(value)", Int64(value)) }
    for name in try stateFiles(in: path).keys { unlink("\(path)/\(name)") }
    unlink("\(path)/lock")
    rmdir(path)
    var outcome = Outcome.done(.relaxed)
    for value in 0..<10_000 where outcome == .done(.relaxed) { outcome = hub.set("b", Int64(value)) }
    #expect(outcome == .refused(.storageFailed))
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("c", 3) == .done(.relaxed))
    let content = hub.content()
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.content() == content)
  }

  @Test(
    "a disk that keeps failing is left alone for a while after every attempt",
    arguments: [(ENOSPC, Failpoint.reserve), (EIO, .append), (EIO, .segmentCreate), (EIO, .snapshotWrite)])
  func patience(code: Int32, point: Failpoint) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = FaultyDisk()
    let hub = try JournalHub(directory.file("state"), disk: disk.disk)
    if point == .reserve {
      hub.exhaustRoom()
      disk.begin(.error(.reserve, code))
      #expect(hub.set("a", 1) == .refused(.storageFailed))
    } else {
      disk.begin(.error(.append, code))
      #expect(hub.set("a", 1) == .refused(.durabilityUnknown))
      disk.begin(.error(point, code))
    }
    var attempts: Set<UInt64> = []
    let isTried = hub.settle { hub in
      // Whenever it waits, it waits for a time to come.
      if let retry = hub.journal.retry, attempts.insert(retry).inserted { #expect(retry > hub.now.boot) }
      return attempts.count == 3
    }
    #expect(isTried)
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
  }

  @Test("values that end by themselves while the disk fails have ended on the disk, too")
  func endings() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    _ = hub.create("t", Schema(type: .integer, initial: .integer(7)))
    #expect(hub.set("t", 1, lifetime: Lifetime(ttl: 1)) == .done(.relaxed))
    disk.begin(.error(.append, EIO))
    _ = hub.set("x", 1)
    hub.engine.expire(
      in: hub.engine.openTurn(), now: Instant(wall: hub.now.wall, boot: hub.now.boot + 1_000_000_000))
    #expect(hub.content()["t"]?.value == .integer(7))
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("x", 2) == .done(.relaxed))
    let content = hub.content()
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.content() == content)
  }

  @Test(
    "a disk that stays full or broken is reported once, and when it works again",
    arguments: [(ENOSPC, Failpoint.reserve), (EIO, .append)])
  func told(code: Int32, point: Failpoint) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = FaultyDisk()
    let hub = try JournalHub(directory.file("state"), disk: disk.disk)
    _ = hub.set("a", 1)
    #expect(hub.journal.notes.take().isEmpty)
    for round in 1...2 {
      disk.begin(.error(point, code))
      hub.exhaustRoom()
      let first = hub.set("a", Int64(10 * round))
      #expect(first == .refused(point == .append ? .durabilityUnknown : .storageFailed))
      for attempt in 1..<3 {
        #expect(hub.set("a", Int64(10 * round + attempt)) == .refused(.storageFailed))
        _ = hub.settle(turns: 15)
      }
      let failing = hub.journal.notes.take()
      #expect(failing.map(\.id) == [.storageFails], "\(failing)")
      #expect(failing.first?.text.contains(SystemError(code).description) == true)
      disk.mend()
      #expect(hub.settle { $0.engine.isJournalOpen })
      #expect(hub.set("a", Int64(round + 1)) == .done(.relaxed))
      #expect(hub.journal.notes.take().map(\.id) == [.storageWorks])
    }
    disk.begin(.error(.snapshotWrite, code))
    for _ in 0..<3 {
      hub.journal.compactAfter = 0
      hub.snapshot()
    }
    #expect(hub.journal.notes.take().map(\.id) == [.snapshotFails])
  }
}
