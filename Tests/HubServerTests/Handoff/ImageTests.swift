// The image of a hub: complete, refused if damaged or of another version.

import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@testable import HubServer

@Suite("The image of a hub", .blocking)
struct ImageTests {
  private func body(_ image: [UInt8]) throws -> ServerImage {
    try image.withByteView { bytes in
      Result<ServerImage, ImageError> { () throws(ImageError) in
        try ServerImage(reading: ImageHeader.body(of: bytes))
      }
    }.get()
  }

  /// `STATEHUB_WRITE_IMAGE=FILE` writes the sample's frames there, as the first input of `Tools/fuzz/image`.
  @Test("what was written is read as it was")
  func roundTrip() throws {
    let engine = SampleHub.engine()
    let image = try SampleHub.image(engine)
    #expect(try body(image) == SampleHub.server())
    let again = try SampleHub.engine(from: image, SampleHub.settings.engine)
    #expect(try SampleHub.image(again) == image)
    if let path = getenv("STATEHUB_WRITE_IMAGE"), let file = fopen(path, "w") {
      fwrite(Array(image.dropFirst(ImageHeader.length)), 1, image.count - ImageHeader.length, file)
      fclose(file)
    }
  }

  @Test("the file is sealed: nobody changes it, and one that is not sealed is not read")
  func sealed() throws {
    let file = try ImageFile.write { $0.frame(0x20) { $0.append(short: "x") } }
    #expect(write(file.raw, "x", 1) < 0 && errno == EPERM)
    #expect(ftruncate(file.raw, 0) < 0 && errno == EPERM)
    let path = try TemporaryDirectory()
    try path.write("hubimage", to: "image")
    let plain = open(path.file("image"), O_RDONLY)
    defer { close(plain) }
    #expect(throws: ImageError.self) { try ImageFile.read(plain) { $0.count } }
  }

  @Test("a hub that takes over has the stores, lifetimes and sessions of the one before")
  func content() throws {
    let image = try SampleHub.image(SampleHub.engine())
    var engine = try SampleHub.engine(from: image, SampleHub.settings.engine)
    #expect(engine.epoch == SampleHub.epoch)
    #expect(engine.storeCount == 8)
    for (name, value) in [
      "level": Value.integer(7), "text.string": .string("Grüße"), "text.json": .json("{\"a\":[1]}"),
      "text.data": .data([0, 255]), "flag": .boolean(true), "ratio": .double(-0.25), "later": .integer(1),
      "mine": .integer(2),
    ] {
      guard case .value(let state)? = SampleHub.ask(&engine, 21, .get(name)) else {
        throw TestFailure("no \(name)")
      }
      #expect(state.value == value)
    }
    guard case .described(let level)? = SampleHub.ask(&engine, 21, .describe(.name(try StoreName("level"))))
    else {
      throw TestFailure("not described")
    }
    #expect(level.declared && level.schema.maximum == .integer(10) && level.watchers == 2)
    guard case .described(let later)? = SampleHub.ask(&engine, 21, .describe(.name(try StoreName("later"))))
    else {
      throw TestFailure("not described")
    }
    #expect(later.ttl == 1_000_000_000_000)
    guard case .clients(let clients, _)? = SampleHub.ask(&engine, 21, .clients()) else {
      throw TestFailure("no list")
    }
    #expect(clients.map(\.session) == [20, 21, 22, 23, 24])
    #expect(clients.map(\.name) == ["", "sample 21", "sample 22", "sample 23", "sample 24"])
    #expect(clients.map(\.behind) == [false, false, false, true, false])
    // Live watches continue, those behind catch up, and owned values end with their owner.
    engine.close(SessionID(raw: 24), in: engine.openTurn(), now: SampleHub.now)
    engine.resumeDelivery(to: SessionID(raw: 23))
    let sent = SampleHub.turn(&engine)
    #expect(sent.keys.sorted() == [22, 23])
    #expect(engine.storeCount == 7)
  }

  @Test("an image with any byte changed, or cut anywhere, is refused")
  func damaged() throws {
    let image = try SampleHub.image(SampleHub.engine())
    for index in image.indices {
      var damaged = image
      damaged[index] ^= 1 << UInt8(index % 8)
      // Two reserved bytes are for later versions.
      if index == 10 || index == 11 { continue }
      #expect(throws: ImageError.self) { try body(damaged) }
    }
    for length in stride(from: 0, to: image.count, by: 7) {
      #expect(throws: ImageError.self) { try body(Array(image.prefix(length))) }
    }
  }

  @Test("an image of an unknown version is refused, with both versions in the message")
  func unknown() throws {
    var image = try SampleHub.image(SampleHub.engine())
    image[8] = UInt8(ImageFormat.version + 1)
    let error = #expect(throws: ImageError.self) { try body(image) }
    #expect(
      error?.description
        == "the image is of version \(ImageFormat.version + 1), this program reads \(ImageFormat.version)")
  }

  @Test("frames of unknown kinds are refused", arguments: [0x1F, 0x7F] as [UInt8])
  func kinds(kind: UInt8) throws {
    let engine = SampleHub.engine()
    let file = try ImageFile.write { image in
      SampleHub.server().write(to: &image)
      engine.write(to: &image)
      image.frame(kind) { $0.append(UInt64(1)) }
    }
    let image = try ImageFile.read(file.raw) { $0.array }
    #expect(throws: ImageError.self) {
      _ = try body(image)
      _ = try SampleHub.engine(from: image, SampleHub.settings.engine)
    }
  }

  @Test("no image makes a hub that crashes: whatever is changed in one, it is refused or the hub can be used")
  func mutated() throws {
    let image = try SampleHub.image(SampleHub.engine())
    var random = SeededGenerator(seed: 1)
    var accepted = 0
    for _ in 0..<2000 {
      var mutant = Array(image.dropFirst(ImageHeader.length))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        mutant[Int.random(in: mutant.indices, using: &random)] = UInt8.random(
          in: .min ... .max, using: &random)
      }
      let checksum = mutant.withByteView { CRC32C.of($0) }
      let whole = ImageHeader(checksum: checksum, bodyLength: UInt64(mutant.count)).bytes + mutant
      _ = try? body(whole)
      guard var engine = try? SampleHub.engine(from: whole, SampleHub.settings.engine) else { continue }
      accepted += 1
      for raw in Int32(20)...24 where engine.isOpen(SessionID(raw: raw)) {
        engine.resumeDelivery(to: SessionID(raw: raw))
        SampleHub.ask(&engine, raw, .set("level", .integer(Int64(raw) - 15)))
      }
      SampleHub.turn(&engine)
      SampleHub.turn(&engine)
      _ = try SampleHub.image(engine)
    }
    #expect(accepted > 0)
  }
}

@Suite("The settings of a hub that is connected to", .blocking)
struct SettingsInForceTests {
  @Test("what would break clients waits, and is named; everything else is taken over")
  func kept() {
    var wanted = SampleHub.settings
    wanted.socketPath = "/new"
    wanted.engine.maximumFrameLength = 70_000
    wanted.engine.requiresDeclaration = true
    wanted.maxClients = 5
    wanted.declarations = []
    let notes = wanted.keepWhatMustStay(of: SampleHub.settings)
    #expect(
      notes == [
        "socket: the change from /run/sample/hub.sock to /new waits until the hub is stopped and started",
        "maxFrameBytes: the change from 1048576 to 70000 waits until the hub is stopped and started",
      ])
    #expect(wanted.socketPath == "/run/sample/hub.sock" && wanted.engine.maximumFrameLength == 1 << 20)
    #expect(wanted.engine.requiresDeclaration && wanted.maxClients == 5 && wanted.declarations.isEmpty)
    #expect(wanted.keepWhatMustStay(of: wanted) == [])
  }
}
