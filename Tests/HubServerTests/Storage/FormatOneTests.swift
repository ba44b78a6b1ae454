// State directories from hubs of format 1: recovered, repaired, and continued in format 2.

import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: format 1", .blocking)
struct FormatOneTests {
  /// The machine's boot when the fixtures were made.
  private static let boot = BootID(high: 1, low: 1)

  private func files(_ name: String) throws -> [String: [UInt8]] { try stateFixture("format-1/\(name)") }

  private static let content: [String: Value] = [
    "mode": .string("on"), "big": .string("small"), "ledger": .integer(7), "text": .string("ünï"),
    "data": .data(Array("00ff".utf8)), "level": .double(1.5),
  ]

  @Test(
    "a directory of format 1 is read and continued",
    arguments: ["killed", "ended"])
  func takenUp(name: String) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    try writeFiles(try files(name), to: path)
    var content = FormatOneTests.content
    if name == "ended" { content["ledger"] = .integer(4) }
    let hub = try JournalHub(path, boot: FormatOneTests.boot)
    #expect(hub.content().mapValues(\.value) == content)
    // It is a copy, so a new epoch begins.
    #expect(hub.notes.contains { $0.contains("is a copy") }, "\(hub.notes)")
    content["ledger"] = .integer(100)
    #expect(hub.set("ledger", 100) == .done(.synced))
    _ = consume hub
    let again = try JournalHub(path, boot: FormatOneTests.boot)
    #expect(again.content().mapValues(\.value) == content && again.notes.isEmpty)
    again.snapshot()
    _ = consume again
    for (file, bytes) in try stateFiles(in: path) {
      #expect(
        UInt16(bytes[8]) == JournalFileName(file)?.kind.format, "\(file) is of the present format by now")
    }
    #expect(try JournalHub(path, boot: FormatOneTests.boot).content().mapValues(\.value) == content)
  }

  @Test("a flipped bit in its last synced record is refused while the machine has not gone down")
  func lastRecord() throws {
    var files = try files("killed")
    let newest = "journal-0000000000000003"
    let views = try #require(files[newest])
    let last = try #require(views.lastIndex { $0 != 0 })
    // The file is the one that its head names.
    for byte in [last - 20, last - 60, last] {
      files[newest]![byte] ^= 4
      let names = files.keys.sorted()
      func plan(_ index: Int, _ views: [JournalFileBytes]) throws -> EpochRule {
        guard index < names.count else {
          let plan = try RecoveryPlan(views)
          return try EpochRule(plan, boot: plan.boot, origin: plan.origin)
        }
        return try files[names[index]]!.withByteView {
          try plan(index + 1, views + [JournalFileBytes(name: names[index], bytes: $0)])
        }
      }
      #expect(throws: JournalProblem.self) { try plan(0, []) }
      files[newest]![byte] ^= 4
    }
  }

  @Test("a segment of format 1 that is handed over is continued, and soon followed by one of format 2")
  func handedOver() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    try writeFiles(try files("killed"), to: path)
    // What the previous hub knows of its journal.
    let name = JournalFileName(.journal, 3)
    let mapped = try MappedFile("\(path)/\(name)", name: "\(name)")
    var header = try JournalFileHeader(reading: mapped.bytes, named: name)
    var scan = RecordScan(mapped.bytes, header)
    while scan.next() != nil {}
    let end = scan.offset
    header.format = 2
    let opened = try StateDirectory(path, disk: Disk())
    let file = Glibc.open("\(path)/\(name)", O_RDWR | O_CLOEXEC)
    let state = JournalState(
      segment: SegmentFile(
        file: file, header: header, origin: FileOrigin(of: file), prepared: mapped.bytes.count, marks: nil),
      offset: end, durable: .zero, boot: FormatOneTests.boot,
      files: [JournalFileName(.snapshot, 2), JournalFileName(.journal, 2), name], nextNumber: 4)
    let image = JournalImage(
      state, durable: .zero, path: path, directory: dup(opened.directory.raw), lock: dup(opened.lock))
    var notes: [String] = []
    // The matching engine.
    let copy = directory.file("copy")
    try writeFiles(try files("killed"), to: copy)
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 16
    let other = try Journal.open(
      copy, options: options, boot: FormatOneTests.boot, now: Clocks.now, notes: &notes)
    var engine = other.takeEngine()
    let journal = try Journal.adopt(image, &engine, isEnded: false, now: Clocks.now)
    #expect(journal.state.segment.header.format == 1 && journal.state.offset == end)
    let hub = try JournalHub(engine, journal)
    #expect(hub.set("ledger", 8) == .done(.synced))
    #expect(hub.settle { $0.journal.state.segment.header.format == 2 })
    hub.settle()
    #expect(hub.set("ledger", 9) == .done(.synced))
    _ = consume hub
    let names = try stateFiles(in: path)
    #expect(names.keys.sorted() == ["journal-0000000000000004", "snapshot-0000000000000004"])
    let again = try JournalHub(path, boot: FormatOneTests.boot)
    var content = FormatOneTests.content
    content["ledger"] = .integer(9)
    #expect(again.content().mapValues(\.value) == content)
  }

  @Test("repair saves everything of it, whichever bit of a header is wrong")
  func repaired() throws {
    let files = try files("killed")
    let names = files.keys.sorted()
    for name in names {
      for bit in stride(from: 0, to: 512, by: 5) {
        var damaged = files
        damaged[name]![bit / 8] ^= 1 << (bit % 8)
        let saved = salvaged(damaged)
        let values = Dictionary(uniqueKeysWithValues: saved.stores.values.map { ($0.name, $0.state.value) })
        #expect(values == FormatOneTests.content && saved.losses.isEmpty, "\(name), bit \(bit)")
      }
    }
  }
}
