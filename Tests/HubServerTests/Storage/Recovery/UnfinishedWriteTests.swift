// A write interrupted by the hub's end, or a full disk: it is cut, and nothing that any client was shown is lost with it.

import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: unfinished writes", .blocking)
struct UnfinishedWriteTests {
  private static let page = 4096

  /// A directory whose journal ends with one long record, and its range.
  private struct Long {
    let directory: TemporaryDirectory
    let path: String
    /// The state without the record.
    let before: [String: Content]
    let epoch: Epoch
    let record: Range<Int>

    /// - Parameter isFinished: the write of the record was done, and noted; otherwise the hub was killed before.
    init(_ operations: [WriteOperation], isFinished: Bool = false) throws {
      directory = try TemporaryDirectory(inMemory: true)
      path = directory.file("state")
      let hub = try JournalHub(path, noted: directory.path)
      _ = hub.set("a", 1)
      before = hub.content()
      epoch = hub.engine.epoch
      let start = hub.journal.state.offset
      let note = ReachFile.path(in: directory.path, for: path)
      let noted = try File.contents(of: note, limit: 64)
      let marks = try Long.marks(path)
      _ = hub.ask([.transaction(operations)])
      record = start..<hub.journal.state.offset
      #expect(hub.content() != before)
      // A kill: what was written is not synced by this hub.
      hub.journal.stopWorker()
      try put(marks, at: JournalFileHeader.spareOffset)
      if !isFinished {
        try writeFiles([String(note.dropFirst(directory.path.count + 1)): noted], to: directory.path)
      }
    }

    /// A hub that starts from it.
    func start(boot: BootID = JournalHub.boot) throws -> JournalHub {
      try JournalHub(path, boot: boot, noted: directory.path)
    }

    private static func marks(_ path: String) throws -> [UInt8] {
      Array(try newest(path)[JournalFileHeader.spareOffset..<JournalFileHeader.recordsStart])
    }

    private static func newest(_ path: String) throws -> [UInt8] {
      let files = try stateFiles(in: path)
      return Array(
        try #require(files.filter { $0.key.hasPrefix("journal") }.max { $0.key < $1.key }).value)
    }

    /// The journal's newest file.
    func newest() throws -> [UInt8] { try Long.newest(path) }

    /// Overwrites the journal's newest file from an offset on.
    func put(_ bytes: [UInt8], at offset: Int) throws {
      let name = try #require(try stateFiles(in: path).keys.filter { $0.hasPrefix("journal") }.max())
      let file = open("\(path)/\(name)", O_WRONLY | O_CLOEXEC)
      defer { close(file) }
      #expect(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
    }

    /// Makes the newest file's header say that it was never longer than this.
    func shorten(_ name: String, to length: Int) throws {
      let bytes = try #require(try stateFiles(in: path)[name])
      let file = try #require(JournalFileName(name))
      var header = try bytes.withByteView { try JournalFileHeader(identifying: $0, named: file) }
      header.length = UInt64(length)
      var out = OutputBuffer()
      header.encode(into: &out)
      try put(out.array, at: 0)
    }

    func clear(_ range: Range<Int>) throws {
      try put([UInt8](repeating: 0, count: range.count), at: range.lowerBound)
    }

    /// The page borders in the record.
    var borders: [Int] {
      record.filter { $0 % UnfinishedWriteTests.page == 0 && $0 > record.lowerBound }
    }
  }

  private static func many() throws -> [WriteOperation] {
    try (0..<200).map { .set(.name(try StoreName("many.\($0)")), .integer($0)) }
  }

  private static func one() throws -> [WriteOperation] {
    [.set(.name(try StoreName("blob")), .data([UInt8](repeating: 0xA5, count: 9000)))]
  }

  @Test(
    "a record that a killed hub has not finished is cut, wherever it stops, and the epoch stays while the machine runs",
    arguments: [many, one])
  func stopped(operations: @Sendable () throws -> [WriteOperation]) throws {
    let probe = try Long(operations())
    #expect(probe.borders.count >= 2)
    let inside = [1, 4, 7, 8, 15, 16, 20, 28, 60, 512, 1000].map { probe.record.lowerBound + $0 }
    // What is zero at its end is the same whether it was written or not.
    let end = try #require(try probe.newest()[probe.record].lastIndex { $0 != 0 })
    for stop in inside + probe.borders.flatMap({ [$0 - 512, $0, $0 + 8] }) + [end] {
      for boot in [JournalHub.boot, BootID(high: 2, low: 2)] {
        let long = try Long(operations())
        try long.clear(stop..<long.record.upperBound)
        let hub = try long.start(boot: boot)
        #expect(hub.content() == long.before)
        #expect((hub.engine.epoch == long.epoch) == (boot == JournalHub.boot), "stopped at \(stop)")
        #expect(hub.notes.first?.contains("cut") == true, "\(hub.notes)")
        #expect(hub.set("later", 2) == .done(.relaxed))
        let content = hub.content()
        _ = consume hub
        #expect(try long.start(boot: boot).content() == content)
      }
    }
  }

  @Test("a record that was finished is not taken for an unfinished one, however it is damaged")
  func finished() throws {
    func check(_ what: String, _ damage: (Long) throws -> Void) throws {
      let long = try Long(UnfinishedWriteTests.many(), isFinished: true)
      try damage(long)
      #expect(throws: ServerError.self, "\(what)") { try long.start() }
      guard case .repaired = try Repair.run(long.path) else { throw TestFailure("\(what): no repair") }
      #expect(throws: Never.self, "\(what)") { try long.start() }
      // A power failure may do that to what was not synced.
      let lost = try Long(UnfinishedWriteTests.many(), isFinished: true)
      try damage(lost)
      let hub = try lost.start(boot: BootID(high: 2, low: 2))
      #expect(hub.content() == lost.before && hub.engine.epoch != lost.epoch, "\(what)")
    }
    for distance in [-1024, -512, -200, 0, 200, 512, 1024] {
      try check("\(distance)") { try $0.clear($0.borders[0] + distance..<$0.record.upperBound) }
    }
    try check("a page in the middle") { try $0.clear($0.borders[0]..<$0.borders[1]) }
    try check("the first page") { try $0.clear($0.record.lowerBound..<$0.borders[0]) }
    try check("some bytes") { try $0.put([0xFF, 0xFE, 0xFD], at: $0.record.upperBound - 20) }
    for bit in 0..<31 {
      try check("bit \(bit) of the length") { long in
        let name = try #require(try stateFiles(in: long.path).keys.max())
        let byte = try stateFiles(in: long.path)[name]![long.record.lowerBound + bit / 8]
        try long.put([byte ^ 1 << (bit % 8)], at: long.record.lowerBound + bit / 8)
      }
    }
  }

  @Test(
    "a write that a limit on the length of files has stopped is cut, wherever the limit lies",
    arguments: 0..<8)
  func limited(step: Int) throws {
    for boot in [JournalHub.boot, BootID(high: 2, low: 2)] {
      let long = try Long(UnfinishedWriteTests.one())
      let name = try #require(try stateFiles(in: long.path).keys.max())
      // As if no room had been prepared ahead of it.
      let limit = long.record.lowerBound + 4 + step * step * 100
      #expect(truncate("\(long.path)/\(name)", off_t(limit)) == 0)
      try long.shorten(name, to: limit)
      let hub = try long.start(boot: boot)
      #expect(hub.content() == long.before)
      #expect(hub.notes.first?.contains("cut") == true, "\(hub.notes)")
    }
  }

  @Test(
    "what a disk without room has taken of a write is gone when writing resumes", arguments: [ENOSPC, EIO])
  func noRoom(code: Int32) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let disk = FaultyDisk()
    let hub = try JournalHub(path, disk: disk.disk)
    _ = hub.set("a", 1)
    disk.begin(.part(.append, code))
    #expect(hub.ask([.transaction(try UnfinishedWriteTests.many())]).first.map(isUnknown) == true)
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("a", 2) == .done(.relaxed))
    let (content, epoch) = (hub.content(), hub.engine.epoch)
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.notes.isEmpty, "\(again.notes)")
    #expect(again.content() == content && again.engine.epoch == epoch)
  }

  private func isUnknown(_ reply: Reply) -> Bool {
    if case .error(let error) = reply { error.code == .durabilityUnknown } else { false }
  }
}
