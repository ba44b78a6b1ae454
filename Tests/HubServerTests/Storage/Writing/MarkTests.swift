// Marks: what they name is on the disk, they are synced by themselves, and they share no page with a record.

import HubCore
import HubEngine
import HubSystem
import Synchronization
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: marks", .blocking)
struct MarkTests {
  private typealias Event = RememberingDisk.Event

  /// The position that a write names, if it writes a mark.
  private func mark(_ event: Event) -> (file: Int, position: JournalPosition)? {
    guard case .write(let file, let offset, let bytes) = event, bytes.count == DurableMark.length,
      DurableMark.offsets.contains(offset)
    else { return nil }
    return (file, bytes.withByteView { JournalPosition(raw: $0.load(at: 0)) })
  }

  /// Plays changes, synced and not, with snapshots among them.
  private func play(_ path: String, _ disk: RememberingDisk) throws -> JournalHub {
    let hub = try JournalHub(path, disk: disk.disk)
    _ = hub.create("s", Schema(type: .integer, durability: .synced))
    for value in 1...30 {
      if value % 10 == 0 { hub.snapshot() }
      _ = hub.set(value % 3 == 0 ? "s" : "r", Int64(value))
    }
    return hub
  }

  @Test("a mark names only what was synced before it was written, and the two are written in turn")
  func order() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = RememberingDisk()
    let hub = try play(directory.file("state"), disk)
    hub.stop()
    // How far each file is written, and synced, in call order.
    var written: [Int: Int] = [:]
    var synced: [Int: Int] = [:]
    var numbers: [UInt64: Int] = [:]
    var last: [Int: Int] = [:]
    var marks = 0
    for event in disk.events {
      switch event {
      case .create(let path, let file):
        if let name = JournalFileName(String(path.split(separator: "/").last!.dropLast(4))),
          name.kind == .journal
        {
          numbers[name.number] = file
        }
      case .write(let file, let offset, let bytes):
        if let (_, position) = mark(event) {
          marks += 1
          let place = try #require(numbers[position.segment])
          #expect(synced[place] ?? 0 >= position.offset, "\(position) is named, and not on the disk")
          #expect(last[file] != offset, "one mark twice in a row")
          last[file] = offset
        } else if bytes.contains(where: { $0 != 0 }) {
          #expect(offset == 0 || offset >= JournalFileHeader.recordsStart, "a record beside the marks")
          written[file] = max(written[file] ?? 0, offset + bytes.count)
        }
      case .sync(let file): synced[file] = written[file]
      default: break
      }
    }
    #expect(marks > 10)
  }

  @Test("the last mark reaches the disk by itself, and the last one names the record of a good end")
  func settles() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = RememberingDisk()
    let hub = try play(directory.file("state"), disk)
    #expect(hub.waitForDisk())
    func isSettled() -> Bool {
      let events = disk.events
      guard let last = events.lastIndex(where: { mark($0) != nil }) else { return false }
      return events[last...].contains { if case .sync = $0 { true } else { false } }
    }
    #expect(hub.settle { _ in isSettled() })
    // Nothing follows: a sync for a mark makes no new mark.
    let count = disk.count
    #expect(!hub.settle(turns: 60) { _ in disk.count > count })
    _ = hub.set("r", 99)
    hub.stop()
    let end = disk.events.compactMap { mark($0) }.map(\.position).max()
    #expect(end == hub.journal.state.end, "it names the record of the good end, too")
  }

  /// Notes when marks were written and when one was synced for itself.
  private final class Times: DiskWitness {
    private let state = Mutex<(written: UInt64, synced: UInt64?)>((0, nil))

    /// How long after the last mark before it, in nanoseconds.
    var patience: UInt64? { state.withLock { state in state.synced.map { $0 - state.written } } }

    func willPerform(_ operation: DiskOperation, at point: Failpoint) -> Int32? {
      state.withLock { state in
        if point == .mark, state.synced == nil { state.written = SystemClock.boot }
        if point == .markSync, state.synced == nil { state.synced = SystemClock.boot }
      }
      return nil
    }

    func didPerform(_ operation: DiskOperation, at point: Failpoint, file: Int32) {}
  }

  @Test("a mark is not synced for itself as long as the next write may do it")
  func patience() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let times = Times()
    var disk = Disk()
    disk.witness = times
    let hub = try JournalHub(directory.file("state"), disk: disk)
    #expect(hub.create("s", Schema(type: .integer, durability: .synced)) == .done(.synced))
    #expect(hub.settle { _ in times.patience != nil })
    #expect(times.patience ?? 0 >= Journal.syncDelay)
  }
}
