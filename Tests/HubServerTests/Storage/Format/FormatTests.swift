// The journal's format: checksums, headers, records, frames. What files mean together is RecoveryPlanTests'.

import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal format", .blocking)
struct FormatTests {
  @Test("the checksum is CRC-32C, by instruction and by table alike")
  func checksums() {
    let check = Array("123456789".utf8)
    check.withByteView { #expect(CRC32C.of($0) == 0xE306_9283) }
    var random = SeededGenerator(seed: 1)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes.withByteView { #expect(CRC32C.of($0) == ~CRC32C.table(.max, $0)) }
    }
  }

  @Test("names are read as they are written, and other names are refused")
  func names() {
    let name = JournalFileName(.journal, 0x1F)
    #expect(name.description == "journal-000000000000001f")
    #expect(JournalFileName(name.description) == name)
    for other in [
      "journal-1f", "journal-000000000000001F", "journal-+00000000000001f", "lock", "", "snapshot-",
      "journal-000000000000001f.new",
    ] {
      #expect(JournalFileName(other) == nil, "\(other)")
    }
    #expect(JournalFileName.isTemporary("snapshot-000000000000001f.new"))
  }

  @Test("every flipped bit of a header is noticed, and another format is distinguished from damage")
  func headers() throws {
    let header = JournalFileHeader(kind: .snapshot, number: 7, salt: 99, time: 5)
    var out = OutputBuffer()
    header.encode(into: &out)
    #expect(out.count == JournalFileHeader.length)
    let bytes = out.array
    let name = JournalFileName(.snapshot, 7)
    #expect(try bytes.withByteView { try JournalFileHeader(reading: $0, named: name) } == header)
    for bit in 0..<bytes.count * 8 where isTried(bit) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: JournalProblem.self) {
        try damaged.withByteView { try JournalFileHeader(reading: $0, named: name) }
      }
    }
    var newer = bytes
    newer[8] = UInt8(JournalFileHeader.format) + 1
    let checksum = newer.withByteView { CRC32C.of($0.slice(0, 60)) }
    for index in 0..<4 { newer[60 + index] = UInt8(truncatingIfNeeded: checksum >> (index * 8)) }
    let problem = #expect(throws: JournalProblem.self) {
      try newer.withByteView { try JournalFileHeader(reading: $0, named: name) }
    }
    #expect(problem?.kind == .newer)
  }

  @Test("a record counts only whole, in its own file, at its own place")
  func records() {
    var out = OutputBuffer()
    for _ in 0..<8 { out.append(UInt64(0)) }
    let start = JournalRecord.begin(in: &out)
    JournalFrame.reserved(revision: 3, serial: 4).encode(into: &out)
    JournalRecord.end(
      in: &out, from: start, salt: 11, offset: start, durable: JournalPosition(segment: 1, offset: 64))
    let bytes = out.array
    #expect(bytes.count % 8 == 0)
    bytes.withByteView { file in
      let record = JournalRecord(in: file, at: start, salt: 11)
      #expect(record?.durable == JournalPosition(segment: 1, offset: 64))
      #expect(record?.end(from: start) == file.count)
      var frames = FrameCursor(record!.frames)
      #expect(frames.next().flatMap { JournalFrame($0) } == .reserved(revision: 3, serial: 4))
      #expect(frames.next() == nil && frames.isAtEnd)
      #expect(JournalRecord(in: file, at: start, salt: 12) == nil)
      #expect(JournalRecord(in: file.suffix(from: 8), at: start - 8, salt: 11) == nil)
    }
    for length in 0..<bytes.count - 4 {
      Array(bytes[..<length]).withByteView { #expect(JournalRecord(in: $0, at: start, salt: 11) == nil) }
    }
    // The last four bytes are padding.
    for bit in start * 8..<(bytes.count - 4) * 8 where isTried(bit) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      damaged.withByteView { #expect(JournalRecord(in: $0, at: start, salt: 11) == nil, "bit \(bit)") }
    }
  }

  @Test("every frame about the journal is read as it was written")
  func frames() throws {
    let frames: [JournalFrame] = [
      .head(
        JournalFrame.Head(
          previous: JournalPosition(segment: 3, offset: 80), epoch: Epoch(high: 1, low: 2),
          boot: BootID(high: 3, low: 4), origin: FileOrigin(inode: 5, birth: 6), revisionLimit: 7,
          serialLimit: 8, floor: 9, beginsLife: true, unwritten: true)),
      .reserved(revision: 1, serial: 2), .unwritten,
      .unstored(StoreID(raw: 5), revision: 6, version: 7),
      .ended(revision: 1, serial: 2, settled: true), .ended(revision: 1, serial: 2, settled: false),
      .lifetime(
        StoreID(raw: 5), revision: 6,
        KeptLifetime(deadline: 7, remaining: 8, written: -9, isEphemeral: false)),
      .lifetime(
        StoreID(raw: 5), revision: 6, KeptLifetime(deadline: 0, remaining: 0, written: 1, isEphemeral: true)),
      .removals(floor: 12),
      .snapshot(epoch: Epoch(high: 1, low: 2), revision: 3, serial: 4, floor: 5),
      .complete(through: JournalPosition(segment: 1, offset: 64), stores: 3),
      .access(openFrom: 6), .access(openFrom: .max),
      .claim(
        ClaimOffer(
          try StoreName("lamp"), [try NamePattern("lamp.*")], timeout: 7, window: 8, description: "d",
          takesLifetimes: true), owner: 9),
      .unclaimed(try StoreName("lamp")),
    ]
    for frame in frames {
      var out = OutputBuffer()
      frame.encode(into: &out)
      #expect(JournalFrame(FrameView(bytes: out.view)) == frame)
    }
  }

  @Test(
    "a frame that leaves no revision or serial number is none, and the last that leaves some is one",
    arguments: [
      (Revision(Int64.max), 1 << 41 - 1, true), (Revision(Int64.max) + 1, 0, false), (.max, 0, false),
      (0, 1 << 41, false), (0, .max, false),
    ] as [(Revision, UInt64, Bool)])
  func numbers(revision: Revision, serial: UInt64, isRead: Bool) {
    let epoch = Epoch(high: 1, low: 2)
    let frames: [JournalFrame] = [
      .head(
        JournalFrame.Head(
          previous: .zero, epoch: epoch, boot: .unknown, origin: FileOrigin(inode: 0, birth: 0),
          revisionLimit: revision, serialLimit: serial, floor: 0, beginsLife: true, unwritten: true)),
      .reserved(revision: revision, serial: serial),
      .ended(revision: revision, serial: serial, settled: true),
      .snapshot(epoch: epoch, revision: revision, serial: serial, floor: 0),
    ]
    for frame in frames {
      var out = OutputBuffer()
      frame.encode(into: &out)
      #expect(JournalFrame(FrameView(bytes: out.view)) == (isRead ? frame : nil))
    }
  }
}
