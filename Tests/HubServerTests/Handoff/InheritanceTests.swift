// A hub that is given an image: of another version of the program, damaged, or of an unknown version.

import CLinux
import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Taking over", .blocking)
struct InheritanceTests {
  /// Starts a hub as if another program had executed it in its process: the image is descriptor 3, `client` is 4.
  private func hub(
    _ image: [UInt8], client: Int32, in directory: TemporaryDirectory, seals: Bool = true
  ) throws -> ChildProcess {
    let file = clinux_memory_file("test", true)
    defer { close(file) }
    #expect(write(file, image, image.count) == image.count)
    if seals { #expect(clinux_seal(file) == 0) }
    try directory.write("{}", to: "hub.json5")
    return try ChildProcess(
      "/bin/sh",
      [
        "-c", "STATEHUB_HANDOFF=$$:3 exec \"$0\" \"$@\"", ChildProcess.built("statehub"), "--socket",
        directory.file("hub.sock"), "--volatile", "--config", directory.file("hub.json5"),
      ], environment: ["JOURNAL_STREAM": nil], descriptors: [file, client], directory: directory)
  }

  /// An image from a program of another version, whose one client is descriptor 4 and has a watch.
  private func image(_ directory: TemporaryDirectory) throws -> (
    image: [UInt8], client: Int32, other: RawClient
  ) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else { throw TestFailure("no pair") }
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 16
    var engine = HubEngine(options: options, epoch: SampleHub.epoch, now: SampleHub.now)
    engine.open(SessionID(raw: 4), peer: Peer(pid: 1, uid: geteuid(), gid: 1), now: SampleHub.now)
    for request in [
      Request.hello(name: "old"), .set("kept", .integer(41)), .watch("kept", policy: .every),
    ] { SampleHub.ask(&engine, 4, request) }
    SampleHub.turn(&engine)
    var server = ServerImage()
    server.release = "0.0.9"
    server.settings = SampleHub.settings
    server.settings.socketPath = directory.file("hub.sock")
    server.settings.declarations = []
    server.connections = [
      ServerImage.Connection(descriptor: 4, flags: .isOpen, flow: .open)
    ]
    return (try SampleHub.image(engine, server), ends[0], RawClient(connected: ends[1]))
  }

  private func connected(_ directory: TemporaryDirectory, _ process: ChildProcess) throws -> RawClient {
    for _ in 0..<longestLooks where process.poll(milliseconds: 2) == nil {
      if let client = try? RawClient(to: directory.file("hub.sock")) {
        try client.hello()
        return client
      }
    }
    throw TestFailure("the hub did not start: \(process.standardError)")
  }

  @Test("a hub of another version continues where the old one was, with its client")
  func otherVersion() throws {
    let directory = try TemporaryDirectory()
    let (image, descriptor, client) = try image(directory)
    let process = try hub(image, client: descriptor, in: directory)
    close(descriptor)
    let writer = try connected(directory, process)
    #expect(writer.welcome?.epoch == SampleHub.epoch)
    #expect(try writer.value(of: "kept") == .integer(41))
    try writer.write(.set("kept", .integer(42)))
    #expect(try client.nextEvent().state?.value == .integer(42))
    #expect(try client.value(of: "kept") == .integer(42))
    #expect(process.reports("takes over 1 store and 1 client from version 0.0.9"))
  }

  @Test(
    "an image that cannot be used: the client is disconnected and reconnects by itself, and the hub starts fresh",
    arguments: ["damaged", "unknown", "unsealed", "contradictory"])
  func unusable(how: String) throws {
    let directory = try TemporaryDirectory()
    var (image, descriptor, client) = try image(directory)
    switch how {
    case "damaged": image[image.count / 2] ^= 4
    case "unknown": image[8] = 200
    case "contradictory":
      // Complete and of this version, but its store is beyond the end of the log.
      let body = Array(image.dropFirst(ImageHeader.length))
      var frames: [UInt8] = []
      body.withByteView { bytes in
        var cursor = FrameCursor(bytes)
        while let frame = cursor.next() {
          var out = OutputBuffer()
          out.append(frame.bytes)
          // The places of its stores.
          if frame.rawKind == 0x04 { out.patch(UInt64(1 << 40), at: Frame.headerLength) }
          frames += out.array
        }
      }
      let checksum = frames.withByteView { CRC32C.of($0) }
      image = ImageHeader(checksum: checksum, bodyLength: UInt64(frames.count)).bytes + frames
    default: break
    }
    let process = try hub(image, client: descriptor, in: directory, seals: how != "unsealed")
    close(descriptor)
    let fresh = try connected(directory, process)
    #expect(fresh.welcome?.epoch != SampleHub.epoch)
    #expect(try client.messagesUntilEnd() == [])
    guard case .error(let error) = try fresh.call(.get("kept")) else { throw TestFailure("kept") }
    #expect(error.code == .noSuchStore)
    #expect(process.reports("nothing is taken over: "), "\(process.standardError)")
    #expect(process.reports("clients must reconnect"))
    // It listens, and has closed everything that it was given.
    #expect(process.descriptorCount < 16)
  }

  @Test("a variable that was left over from another process means nothing")
  func leftOver() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory, environment: ["STATEHUB_HANDOFF": "1:3"])
    _ = try hub.connect()
    #expect(!hub.standardError.contains("taken over"))
  }
}
