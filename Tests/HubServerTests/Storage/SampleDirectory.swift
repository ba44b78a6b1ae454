// A state directory as bytes, assembled record by record, for tests of its readers.

import HubCore

@testable import HubEngine
@testable import HubServer

/// The files of a made-up directory.
struct SampleDirectory {
  private(set) var files: [(name: String, bytes: [UInt8])] = []
  /// Where each record of the last file begins.
  private(set) var offsets: [Int] = []
  private var header = JournalFileHeader(kind: .journal, number: 0, salt: 0, time: 0)

  static let epoch = Epoch(high: 3, low: 4)

  /// Begins a file.
  ///
  /// - Parameter format: in its header, if it is another one than this hub's.
  mutating func begin(_ kind: JournalFileKind, _ number: UInt64, format: UInt16 = JournalFileHeader.format) {
    var out = OutputBuffer()
    offsets = []
    header = JournalFileHeader(
      kind: kind, number: number, salt: number &* 0x1234_5678_9ABC_DEF1, time: 1_700_000_000_000_000_000)
    header.encodePreamble(into: &out)
    if format != JournalFileHeader.format {
      out.patch(format, at: 8)
      out.patch(CRC32C.of(out.view.slice(0, 60)), at: 60)
    }
    files.append((JournalFileName(kind, number).description, out.array))
  }

  /// Appends a record to the last file.
  mutating func record(durable: JournalPosition = .zero, _ fill: (inout OutputBuffer) throws -> Void) rethrows
  {
    var out = OutputBuffer()
    out.append(files[files.count - 1].bytes)
    let start = JournalRecord.begin(in: &out)
    offsets.append(start)
    try fill(&out)
    JournalRecord.end(in: &out, from: start, salt: header.salt, offset: start, durable: durable)
    files[files.count - 1].bytes = out.array
  }

  mutating func head(
    previous: JournalPosition = .zero, revisionLimit: Revision = 1000, unwritten: Bool = false
  ) {
    record {
      JournalFrame.head(
        JournalFrame.Head(
          previous: previous, epoch: SampleDirectory.epoch, boot: .unknown,
          origin: FileOrigin(inode: 0, birth: 0),
          revisionLimit: revisionLimit, serialLimit: 100, floor: 0, beginsLife: true, unwritten: unwritten)
      ).encode(into: &$0)
    }
  }

  /// Where the last file ends.
  var end: JournalPosition {
    JournalPosition(segment: header.number, offset: files[files.count - 1].bytes.count)
  }

  /// Lends the files to `body`, with one of them replaced.
  func read<R>(
    replacing name: String? = nil, with bytes: [UInt8] = [], _ body: ([JournalFileBytes]) throws -> R
  ) rethrows -> R {
    let contents = files.map { $0.name == name ? bytes : $0.bytes }
    let copies = contents.map { content in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 8)
      copy.copyBytes(from: content)
      return copy
    }
    defer { copies.forEach { $0.deallocate() } }
    return try body(
      zip(files, copies).map { JournalFileBytes(name: $0.name, bytes: ByteView(UnsafeRawBufferPointer($1))) })
  }
}

extension SampleDirectory {
  static func state(_ index: UInt64, _ revision: UInt64, _ version: UInt64, _ value: Value) -> StoreState {
    StoreState(
      id: StoreID(raw: index << 24 | (index - 1)), revision: revision, version: version, time: 5, uid: 1000,
      value: value)
  }

  static func created(_ name: String, _ index: UInt64, _ revision: UInt64, _ value: Value) -> HubEvent {
    .created(name: name, Schema(type: value.type, initial: value), state(index, revision, 1, value))
  }

  static func change(_ index: UInt64, _ revision: UInt64, _ version: UInt64, _ value: Value) -> HubEvent {
    .change(state(index, revision, version, value), grouped: false, more: false)
  }

  /// A snapshot with two stores, its segment with ten changes, and another segment after it.
  static func usual() -> SampleDirectory {
    var directory = SampleDirectory()
    directory.begin(.snapshot, 3)
    directory.record {
      JournalFrame.snapshot(epoch: epoch, revision: 20, serial: 2, floor: 0).encode(into: &$0)
      created("a.number", 1, 10, .integer(1)).encode(into: &$0)
      created("a.text", 2, 20, .string("one")).encode(into: &$0)
    }
    directory.record {
      JournalFrame.complete(through: JournalPosition(segment: 3, offset: 8192), stores: 2).encode(into: &$0)
    }
    directory.begin(.journal, 3)
    directory.head()
    for step in 1...10 as ClosedRange<UInt64> {
      directory.record { change(1, 20 + step, 1 + step, .integer(Int64(100 + step))).encode(into: &$0) }
    }
    let end = directory.end
    directory.begin(.journal, 4)
    directory.head(previous: end)
    directory.record(durable: end) { created("b.new", 3, 40, .boolean(true)).encode(into: &$0) }
    directory.record { change(2, 41, 2, .string("two")).encode(into: &$0) }
    return directory
  }
}
