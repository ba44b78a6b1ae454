// What an image must not make an engine believe.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

struct EngineBuilderTests {
  private func image() -> (bytes: [UInt8], options: HubEngine.Options) {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("vanished", .integer(1)))
    _ = hub.turn()
    _ = hub.write(session, .remove("vanished"))
    _ = hub.turn()
    return (EngineImage.bytes(of: hub.engine), hub.engine.options)
  }

  @Test("an image whose log or list of removals has a name that no store can have is refused")
  func names() throws {
    let (bytes, options) = image()
    let name = Array("vanished".utf8)
    let places = bytes.indices.filter { bytes[$0...].starts(with: name) }
    // The removal in the list; the creation in the log, which only clients read; the removal in the log.
    try #require(places.count == 3)
    _ = try EngineImage.engine(from: bytes, options: options)
    for place in [places[0], places[2]] {
      for (offset, byte) in [(0, UInt8(ascii: " ")), (-1, 0xFF), (-1, 0)] {
        var damaged = bytes
        damaged[place + offset] = byte
        #expect(throws: ImageError.self) { _ = try EngineImage.engine(from: damaged, options: options) }
      }
    }
  }

  @Test("members of patterns are kept, also more than a frame holds, and found where an image has none")
  func members() throws {
    var hub = EngineFixture { $0.changeLogBytes = 4 << 20 }
    let (writer, first, second) = (hub.connect(1), hub.connect(2), hub.connect(3))
    for number in 0..<20_000 { _ = hub.write(writer, .set(.name(try StoreName("a.\(number)")), .integer(1))) }
    _ = hub.write(writer, .set("a.7", .integer(2)))
    _ = hub.ask(first, .watch([try NamePattern("*.*")]))
    _ = hub.ask(second, .watch([try NamePattern("none.*"), try NamePattern("*.*"), try NamePattern("a.7")]))
    _ = hub.turn()
    let image = EngineImage.bytes(of: hub.engine)
    let members = try frames(of: image).filter { $0.kind == ImageKind.members.rawValue }
    #expect(members.map { ($0.bytes.count - Frame.headerLength - 1) / 4 } == [16_384, 3_616, 0])
    #expect(EngineImage.bytes(of: try EngineImage.engine(from: image, options: hub.engine.options)) == image)
    let others = try frames(of: image).filter { $0.kind != ImageKind.members.rawValue }.flatMap(\.bytes)
    #expect(EngineImage.bytes(of: try EngineImage.engine(from: others, options: hub.engine.options)) == image)
  }

  @Test("an ephemeral value without its session, and places for more stores than there are, are refused")
  func missing() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ephemeral: true)))
    _ = hub.turn()
    let all = try frames(of: EngineImage.bytes(of: hub.engine))
    _ = try EngineImage.engine(from: all.flatMap(\.bytes), options: hub.engine.options)
    for kind in [ImageKind.owned, .places, .stores, .hub] {
      let others = all.filter { $0.kind != kind.rawValue }.flatMap(\.bytes)
      #expect(throws: ImageError.self, "\(kind)") {
        _ = try EngineImage.engine(from: others, options: hub.engine.options)
      }
    }
    let twice = all.flatMap { $0.kind == ImageKind.places.rawValue ? $0.bytes + $0.bytes : $0.bytes }
    #expect(throws: ImageError.self) { _ = try EngineImage.engine(from: twice, options: hub.engine.options) }
  }

  private func frames(of image: [UInt8]) throws -> [(kind: UInt8, bytes: [UInt8])] {
    try image.withByteView { bytes in
      Result { () throws(ImageError) in
        var frames: [(kind: UInt8, bytes: [UInt8])] = []
        var reader = ImageReader(bytes)
        while let frame = try reader.next() { frames.append((frame.rawKind, frame.bytes.array)) }
        return frames
      }
    }.get()
  }
}
