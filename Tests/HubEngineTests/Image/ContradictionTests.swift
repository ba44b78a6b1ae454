// An image that contradicts itself, one field at a time: none makes an engine, whatever the field.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("An image that contradicts itself")
struct ContradictionTests {
  /// A field of the first frame of a kind, by its offset from the payload's start, and a value that it cannot have.
  struct Lie: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var kind: ImageKind
    var offset: Int
    var bytes: [UInt8]

    init(_ text: String, _ kind: ImageKind, _ offset: Int, _ value: some FixedWidthInteger) {
      (testDescription, self.kind, self.offset) = (text, kind, offset)
      bytes = withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
  }

  /// `a` at revision 1, `b` at 5 with a lifetime, and `gone`, removed at 4; slot 2 is free.
  private static func engine() throws -> HubEngine {
    var hub = EngineFixture { $0.journals = true }
    hub.engine.renewReservation()
    let session = hub.connect()
    _ = hub.ask(session, .watch([.everything, try NamePattern("*")]))
    _ = hub.write(session, .set("a", .integer(1)))
    _ = hub.write(session, .set("b", .integer(1)))
    _ = hub.write(session, .set("gone", .integer(1)))
    _ = hub.write(session, .remove("gone"))
    _ = hub.write(session, .set("b", .integer(2), lifetime: Lifetime(ttl: 1000)))
    hub.engine.journalWritten()
    _ = hub.turn()
    return hub.engine
  }

  private static let head = UInt64(1) << 32

  static let lies = [
    Lie("a log that begins behind its end", .hub, 40, head),
    Lie("a log longer than its ring", .hub, 48, UInt64(64)),
    Lie("removals forgotten beyond the end", .hub, 64, head),
    Lie("removals forgotten after the last revision", .hub, 72, UInt64(6)),
    Lie("a revision beyond all that can be counted", .hub, 16, UInt64(Int64.max) + 1),
    Lie("an end beyond all that can be counted", .hub, 32, UInt64(Int64.max)),
    Lie("a serial number beyond all that there are", .hub, 24, UInt64(1) << 40),
    Lie("stores changed after the last revision", .hub, 16, UInt64(3)),
    Lie("stores with numbers above the last", .hub, 24, UInt64(1)),
    Lie("rules that changed after the last revision", .hub, 88, UInt64.max),
    Lie("more slots than stores and free ones", .hub, 80, UInt64(4)),
    Lie("fewer slots than stores", .hub, 80, UInt64(1)),
    Lie("members that are not all there", .members, 0, UInt8(0)),
    Lie("a member in a free slot", .members, 1, Int32(2)),
    Lie("a member beyond the end", .members, 1, Int32(3)),
    Lie("a member below the first", .members, 1, Int32(-1)),
    Lie("a member that is there twice", .members, 5, Int32(0)),
    Lie("a free slot that has a store", .freeSlots, 0, Int32(0)),
    Lie("a free slot beyond the end", .freeSlots, 0, Int32(3)),
    Lie("a free slot below the first", .freeSlots, 0, Int32(-1)),
    Lie("stores in a frame of another kind", .stores, 4, UInt8(0x2A)),
    Lie("a store with fields that no store has", .stores, Frame.headerLength, UInt8(0xFF)),
    Lie("a store that never changed", .places, 0, UInt64(0)),
    Lie("a store changed beyond the end", .places, 0, head << 2),
    Lie("a store changed within a frame", .places, 0, UInt64(1) << 2),
    Lie("a ring that is too small", .hub, 48, UInt64(63)),
    Lie("a ring that is too large", .hub, 48, UInt64(1) << 41),
    Lie("a removal at the beginning", .removal, 0, UInt64(0)),
    Lie("a removal beyond the end", .removal, 0, head),
    Lie("a removal within a frame", .removal, 0, UInt64(1)),
    Lie("a removal after the last revision", .removal, 16, UInt64(6)),
    Lie("reserved revisions below the last", .journal, 0, UInt64(1)),
    Lie("reserved numbers below the last", .journal, 8, UInt64(1)),
    Lie("a phase that there is not", .journal, 16, UInt8(9)),
    Lie("a session below the first", .session, 0, Int32(-1)),
    Lie("a session above the last", .session, 0, Int32(1) << 20),
    Lie("a session ahead of the log", .session, 28, head),
    Lie("a session within a frame", .session, 28, UInt64(1)),
    Lie("a session that is closed", .session, 36, UInt8(0)),
    Lie("a session in a state that there is not", .session, 36, UInt8(99)),
  ]

  /// Where the payload of the first frame of a kind begins.
  private func payload(_ kind: ImageKind, in image: [UInt8]) throws -> Int {
    try image.withByteView { bytes in
      var frames = FrameCursor(bytes)
      while let frame = frames.next() {
        if frame.rawKind == kind.rawValue {
          return image.count - frames.rest.count - frame.bytes.count + Frame.headerLength
        }
      }
      throw ImageError("no such frame")
    }
  }

  @Test("is refused:", arguments: lies)
  func refused(lie: Lie) throws {
    let engine = try ContradictionTests.engine()
    let image = EngineImage.bytes(of: engine)
    _ = try EngineImage.engine(from: image, options: engine.options)
    let start = try payload(lie.kind, in: image) + lie.offset
    var other = image
    other.replaceSubrange(start..<start + lie.bytes.count, with: lie.bytes)
    #expect(other != image)
    #expect(throws: ImageError.self) { _ = try EngineImage.engine(from: other, options: engine.options) }
  }

  @Test("numbers at the edge of what there can be are accepted")
  func edges() throws {
    let engine = try ContradictionTests.engine()
    let image = EngineImage.bytes(of: engine)
    for (kind, offset, value) in [
      (.hub, 16, UInt64(Int64.max)), (.hub, 24, UInt64(1) << 40 - 1), (.journal, 0, 0), (.journal, 8, 0),
    ] as [(ImageKind, Int, UInt64)] {
      var other = image
      let start = try payload(kind, in: image) + offset
      other.replaceSubrange(start..<start + 8, with: withUnsafeBytes(of: value.littleEndian) { Array($0) })
      // The reserved numbers are above all that were given out.
      if kind == .hub {
        let reserved = try payload(.journal, in: image)
        other.replaceSubrange(reserved..<reserved + 16, with: [UInt8](repeating: 0, count: 16))
      }
      let taken = try EngineImage.engine(from: other, options: engine.options)
      #expect(taken.storeCount == 2)
    }
  }

  @Test("an image of an image is the same image")
  func twice() throws {
    let engine = try ContradictionTests.engine()
    let image = EngineImage.bytes(of: engine)
    let other = try EngineImage.engine(from: image, options: engine.options)
    #expect(EngineImage.bytes(of: other) == image)
  }
}
