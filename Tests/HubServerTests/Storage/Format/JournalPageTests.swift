// The page on the state directory against the code: every dump is what the code writes, and reads.

import FoundationEssentials
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("The page on the journal")
struct JournalPageTests {
  private static let path = "\(checkout)/docs/internals/journal.md"
  private static let salt: UInt64 = 0x0123_4567_89AB_CDEF
  private static let epoch = Epoch(high: 0x1111_1111_1111_1111, low: 0x2222_2222_2222_2222)
  private static let durable = JournalPosition(segment: 6, offset: 4096)

  /// The page's dumps by name.
  private func dumps() throws -> [String: [UInt8]] {
    let text = readFile(JournalPageTests.path)
    var dumps: [String: [UInt8]] = [:]
    var name: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        name = line.hasPrefix("```hex ") ? String(line.dropFirst(7)) : nil
        if let name { dumps[name] = [] }
      } else if let name {
        for word in line.prefix(while: { $0 != ";" }).split(separator: " ") {
          dumps[name]!.append(try #require(UInt8(word, radix: 16)))
        }
      }
    }
    return dumps
  }

  @Test("every dump is what the code writes, and is read back")
  func vectors() throws {
    let dumps = try dumps()
    let header = JournalFileHeader(
      kind: .journal, number: 7, salt: JournalPageTests.salt, time: 1_700_000_000_000_000_000, length: 262_144
    )
    var out = OutputBuffer()
    header.encode(into: &out)
    #expect(out.array == dumps["header"])

    let record = try #require(dumps["record"])
    // The offset of a file's first record.
    let start = JournalFileHeader.recordsStart
    let file = [UInt8](repeating: 0, count: start) + record
    try file.withByteView { file in
      let read = try #require(
        JournalRecord(in: file, at: start, salt: JournalPageTests.salt))
      #expect(read.durable == JournalPageTests.durable)
      var frames = FrameCursor(read.frames)
      let next = frames.next()
      let frame = try #require(next)
      #expect(
        try HubEvent(decoding: frame)
          == .change(
            StoreState(
              id: StoreID(raw: 9 << 24 | 2), revision: 42, version: 5, time: 1_700_000_000_000_000_002,
              uid: 1000,
              value: .integer(7)), grouped: false, more: false))
    }

    var mark = OutputBuffer()
    DurableMark.encode(
      JournalPosition(segment: 7, offset: 8272), at: DurableMark.offsets[0], salt: JournalPageTests.salt,
      into: &mark)
    #expect(mark.array == dumps["mark"])

    let store = StoreID(raw: 9 << 24 | 2)
    let frames: [String: JournalFrame] = [
      "head": .head(
        JournalFrame.Head(
          previous: JournalPageTests.durable, epoch: JournalPageTests.epoch,
          boot: BootID(high: 0x3333_3333_3333_3333, low: 0x4444_4444_4444_4444),
          origin: FileOrigin(inode: 1234, birth: 1_700_000_000_000_000_001), revisionLimit: 16_777_257,
          serialLimit: 16_777_225, floor: 0, beginsLife: true, unwritten: false)),
      "reserved": .reserved(revision: 33_554_474, serial: 33_554_442),
      "unwritten": .unwritten,
      "unstored": .unstored(store, revision: 43, version: 6),
      "lifetime": .lifetime(
        store, revision: 43,
        KeptLifetime(
          deadline: 90_000_000_000, remaining: 60_000_000_000, written: 1_700_000_000_000_000_002,
          isEphemeral: true)),
      "removals": .removals(floor: 40),
      "ended": .ended(revision: 43, serial: 9, settled: true),
      "snapshot": .snapshot(epoch: JournalPageTests.epoch, revision: 43, serial: 9, floor: 0),
      "access": .access(openFrom: 44),
      "claim": .claim(
        ClaimOffer(
          try StoreName("lamp"), [try NamePattern("lamp.*")], timeout: 2000, window: 1, takesLifetimes: true),
        owner: 1000),
      "unclaimed": .unclaimed(try StoreName("lamp")),
      "complete": .complete(through: JournalPosition(segment: 7, offset: 272), stores: 1),
    ]
    for (name, frame) in frames {
      var out = OutputBuffer()
      frame.encode(into: &out)
      #expect(out.array == dumps[name], "\(name)")
    }
    try packedStores(try #require(dumps["stores"]))
    #expect(dumps.count == frames.count + 4)
  }

  private func packedStores(_ dump: [UInt8]) throws {
    let time: Int64 = 1_700_000_000_000_000_002
    func state(_ serial: UInt64, _ slot: UInt64, _ revision: Revision, _ version: UInt64, _ value: Value)
      -> StoreState
    {
      StoreState(
        id: StoreID(raw: serial << 24 | slot), revision: revision, version: version,
        time: time + Int64(revision - 42) * 1000, uid: 1000, value: value)
    }
    var stores: [KeptStore] = []
    dump.withByteView { bytes in
      PackedStores.each(in: FrameView(bytes: bytes)) { stores.append($0) }
    }
    #expect(stores.map(\.name) == ["a.number", "a.text"])
    #expect(stores.map(\.schema) == [Schema(type: .integer), Schema(type: .string)])
    #expect(
      stores.map(\.state) == [state(9, 2, 42, 5, .integer(7)), state(10, 3, 43, 1, .string("on"))])
    let lifetime = KeptLifetime(
      deadline: 90_000_000_000, remaining: 60_000_000_000, written: time, isEphemeral: true)
    #expect(stores.map(\.lifetime) == [nil, lifetime])
  }
}
