// What an image must not make an engine believe.

import Testing

@testable import HubCore

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
}
