// A write interrupted by the hub's end, or a full disk: it is cut, and nothing that any client was shown is lost with it.

import Glibc
import HubCore
import HubEngine
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

    /// - Parameter filler: bytes in the record before the long one: they shift its page borders.
    init(_ operations: [WriteOperation], filler: Int = 0) throws {
      directory = try TemporaryDirectory(inMemory: true)
      path = directory.file("state")
      let hub = try JournalHub(path)
      _ = hub.set("a", 1)
      let blob = Value.data([UInt8](repeating: 7, count: filler))
      _ = hub.write(.set(.name(try StoreName("filler")), blob))
      before = hub.content()
      epoch = hub.engine.epoch
      let start = hub.journal.state.offset
      let marks = try Long.marks(path)
      _ = hub.ask([.transaction(operations)])
      record = start..<hub.journal.state.offset
      #expect(hub.content() != before)
      // A kill: what was written is not synced by this hub.
      hub.journal.stopWorker()
      try put(marks, at: JournalFileHeader.spareOffset)
    }

    private static func marks(_ path: String) throws -> [UInt8] {
      let files = try stateFiles(in: path)
      let newest = try #require(files.filter { $0.key.hasPrefix("journal") }.max { $0.key < $1.key })
      return Array(newest.value[JournalFileHeader.spareOffset..<JournalFileHeader.recordsStart(2)])
    }

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
    "a record that stops at the border of a page is cut, and the epoch stays while the machine runs",
    arguments: [many, one])
  func stopped(operations: @Sendable () throws -> [WriteOperation]) throws {
    let count = try Long(operations()).borders.count
    #expect(count >= 2)
    for index in 0..<count {
      for boot in [JournalHub.boot, BootID(high: 2, low: 2)] {
        let long = try Long(operations())
        try long.clear(long.borders[index]..<long.record.upperBound)
        let hub = try JournalHub(long.path, boot: boot)
        #expect(hub.content() == long.before)
        #expect((hub.engine.epoch == long.epoch) == (boot == JournalHub.boot), "border \(index)")
        #expect(hub.notes.first?.contains("cut") == true, "\(hub.notes)")
        #expect(hub.set("later", 2) == .done(.relaxed))
        let content = hub.content()
        _ = consume hub
        #expect(try JournalHub(long.path, boot: boot).content() == content)
      }
    }
  }

  @Test("the border may lie anywhere in the record's header or its first frame", arguments: 0..<16)
  func header(step: Int) throws {
    // The filler's record is longer than the filler: first find out how much is left to the border.
    let probe = try Long(UnfinishedWriteTests.many(), filler: 1000)
    let border = JournalFileHeader.recordsStart(2) + UnfinishedWriteTests.page
    let wanted = border - 8 * (step + 1)
    let filler = 1000 + (wanted - probe.record.lowerBound)
    let long = try Long(UnfinishedWriteTests.many(), filler: filler)
    #expect(long.record.lowerBound == wanted)
    try long.clear(border..<long.record.upperBound)
    let hub = try JournalHub(long.path)
    #expect(hub.content() == long.before && hub.engine.epoch == long.epoch)
  }

  /// Whether a directory with this damage is refused while the machine has stayed up, and cut after it has gone down.
  private func isDamageUnlessPowerFailed(_ damage: () throws -> Long) throws -> Bool {
    let long = try damage()
    #expect(throws: ServerError.self) { try JournalHub(long.path) }
    let hub = try JournalHub(long.path, boot: BootID(high: 2, low: 2))
    return hub.content() == long.before && hub.engine.epoch != long.epoch
  }

  @Test(
    "a record that stops elsewhere, or continues after a hole, is damage if the machine has not gone down")
  func others() throws {
    func isDamage(_ damage: (Long) throws -> Void) throws -> Bool {
      try isDamageUnlessPowerFailed {
        let long = try Long(UnfinishedWriteTests.many())
        try damage(long)
        return long
      }
    }
    for distance in [-1024, -512, -200, 200, 512, 1024] {
      #expect(try isDamage { try $0.clear($0.borders[0] + distance..<$0.record.upperBound) })
    }
    // A page in the middle is missing; the first one is; some bytes have changed.
    #expect(try isDamage { try $0.clear($0.borders[0]..<$0.borders[1]) })
    #expect(try isDamage { try $0.clear($0.record.lowerBound..<$0.borders[0]) })
    #expect(try isDamage { try $0.put([0xFF, 0xFE, 0xFD], at: $0.record.upperBound - 20) })
    // The bytes there do not begin a record.
    #expect(
      try isDamage {
        try $0.clear($0.borders[0]..<$0.record.upperBound)
        try $0.put([0xEE], at: $0.record.lowerBound + JournalRecord.headerLength + 4)
      })
  }

  @Test("a whole record whose length is wrong is none that was not finished", arguments: 0..<4)
  func length(padding: Int) throws {
    // The record ends at a page border, or a few bytes before.
    let border = JournalFileHeader.recordsStart(2) + UnfinishedWriteTests.page
    func operation(_ count: Int) throws -> [WriteOperation] {
      [.set(.name(try StoreName("blob")), .data([UInt8](repeating: 0xA5, count: count)))]
    }
    let probe = try Long(operation(2000))
    // The longest that ends there: records are padded.
    var most = 2000 + (border - probe.record.upperBound)
    while try Long(operation(most + 1)).record.upperBound == border { most += 1 }
    let count = most - 2 * padding
    for bit in 0..<31 {
      let long = try Long(operation(count))
      #expect(long.record.upperBound == border)
      let name = try #require(try stateFiles(in: long.path).keys.max())
      let byte = try stateFiles(in: long.path)[name]![long.record.lowerBound + bit / 8]
      try long.put([byte ^ 1 << (bit % 8)], at: long.record.lowerBound + bit / 8)
      // One bit: no power failure does that, so it is damage on any boot.
      for boot in [JournalHub.boot, BootID(high: 2, low: 2)] {
        #expect(throws: ServerError.self, "bit \(bit)") { try JournalHub(long.path, boot: boot) }
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
      let hub = try JournalHub(long.path, boot: boot)
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
    #expect(hub.ask([.transaction(try UnfinishedWriteTests.many())]).first.map(isRefused) == true)
    disk.mend()
    #expect(hub.settle { $0.engine.isJournalOpen })
    #expect(hub.set("a", 2) == .done(.relaxed))
    let (content, epoch) = (hub.content(), hub.engine.epoch)
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.notes.isEmpty, "\(again.notes)")
    #expect(again.content() == content && again.engine.epoch == epoch)
  }

  private func isRefused(_ reply: Reply) -> Bool {
    if case .error(let error) = reply { error.code == .storageFailed } else { false }
  }
}
