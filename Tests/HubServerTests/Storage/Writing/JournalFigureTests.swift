// The journal's figures in `stats`: what is refused and why, what was written, synced and included in a snapshot.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("The journal's figures", .blocking)
struct JournalFigureTests {
  @Test("say while writing is refused, and for which error of the system", arguments: [ENOSPC, EIO])
  func refusal(code: Int32) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = FaultyDisk()
    let hub = try JournalHub(directory.file("state"), disk: disk.disk)
    _ = hub.set("a", 1)
    var figures = hub.journal.figures
    #expect(!figures.isRefusing && figures.problem == 0 && figures.failures == 0)
    for round in 1...2 as ClosedRange<UInt64> {
      disk.begin(.error(.append, code))
      #expect(hub.set("a", Int64(10 * round)) == .refused(.durabilityUnknown))
      figures = hub.journal.figures
      #expect(figures.isRefusing)
      #expect(figures.problem == UInt64(code))
      #expect(figures.failures == round)
      disk.mend()
      #expect(hub.settle { $0.engine.isJournalOpen })
      #expect(hub.set("a", Int64(round + 1)) == .done(.relaxed))
      figures = hub.journal.figures
      #expect(!figures.isRefusing && figures.problem == 0 && figures.failures == round)
    }
  }

  @Test("count bytes, syncs and snapshots, and what a snapshot has failed for")
  func counts() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = FaultyDisk()
    let hub = try JournalHub(directory.file("state"), disk: disk.disk)
    let before = hub.journal.figures
    for number in 0..<50 { _ = hub.set("a", Int64(number)) }
    var figures = hub.journal.figures
    #expect(figures.bytes > before.bytes)
    #expect(figures.segments == 1 && figures.snapshots == 0)
    hub.journal.hasten()
    #expect(hub.settle { $0.journal.figures.unsyncedBytes == 0 })
    figures = hub.journal.figures
    #expect(figures.syncs > before.syncs && figures.syncTime >= figures.longestSync && figures.lastSync > 0)
    hub.snapshot()
    #expect(hub.settle { $0.journal.figures.snapshots == 1 })
    #expect(hub.journal.figures.snapshotBytes > 0)
    disk.begin(.error(.snapshotWrite, EIO))
    hub.journal.compactAfter = 0
    hub.snapshot()
    #expect(hub.settle { $0.journal.figures.snapshotFailures == 1 })
    #expect(hub.journal.figures.snapshots == 1)
  }

  @Test("after a start the journal is as long as all that the next recovery would read besides the snapshot")
  func length() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    var earlier = 0
    for life in 1...3 {
      let hub = try JournalHub(directory.file("state"))
      #expect(hub.set("a", Int64(life)) == .done(.relaxed))
      #expect(hub.journal.journalBytes == earlier + hub.journal.state.offset, "life \(life)")
      earlier = hub.journal.journalBytes
    }
  }
}
