// A hub with everything that an image can contain, and its image.

import FoundationEssentials
import HubCore
import HubEngine
import HubSystem
import TestSupport

@testable import HubServer

enum SampleHub {
  static let now = Instant(wall: 1_700_000_000_000_000_000, boot: 1_000_000_000)
  static let epoch = Epoch(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

  static var settings: ServerOptions {
    var settings = ServerOptions(socketPath: "/run/sample/hub.sock", isSystem: false)
    settings.maxClients = 77
    settings.logLevel = .warning
    settings.engine.requiresDeclaration = false
    settings.engine.changeLogBytes = 4096
    settings.engine.defaultDurability = .volatile
    settings.declarations = [
      StoreDeclaration(
        name: try! StoreName("level"),
        schema: try! Schema(
          type: .integer, initial: .integer(5), minimum: .integer(0), maximum: .integer(10),
          description: "Loudness"
        ).validated())
    ]
    return settings
  }

  /// Sessions 20 (has not said hello), 21 (idle), 22 (follows), 23 (takes nothing), 24 (owns a value).
  static func engine() -> HubEngine {
    var engine = HubEngine(options: settings.engine, epoch: epoch, now: now)
    _ = try! engine.declare(settings.declarations.map { ($0.name, $0.schema) }, now: now)
    for raw in Int32(20)...24 {
      engine.open(SessionID(raw: raw), peer: Peer(pid: UInt32(raw), uid: 1000, gid: 100), now: now)
      if raw > 20 { ask(&engine, raw, .hello(name: "sample \(raw)")) }
    }
    ask(&engine, 22, .watch([try! NamePattern("**")], policy: .every))
    ask(&engine, 23, .watch([try! NamePattern("level"), try! NamePattern("text.*")]))
    turn(&engine)
    engine.pauseDelivery(to: SessionID(raw: 23))
    for value in [
      "text.string": Value.string("Grüße"), "text.json": .json("{\"a\":[1]}"), "text.data": .data([0, 255]),
      "flag": .boolean(true), "ratio": .double(-0.25), "gone": .integer(1),
    ].sorted(by: { $0.key < $1.key }) {
      ask(&engine, 21, .set(value.key, value.value))
    }
    ask(&engine, 21, .set("level", .integer(7)))
    ask(&engine, 21, .set("later", .integer(1), lifetime: Lifetime(ttl: 1_000_000_000_000)))
    ask(&engine, 24, .set("mine", .integer(2), lifetime: Lifetime(ephemeral: true)))
    turn(&engine)
    ask(&engine, 21, .write(.remove(.name(try! StoreName("gone")))))
    turn(&engine)
    return engine
  }

  static func server() -> ServerImage {
    var image = ServerImage()
    image.release = "0.0.9"
    image.settings = settings
    image.connections = (Int32(20)...24).map {
      ServerImage.Connection(descriptor: $0, flags: .isOpen, flow: $0 == 23 ? .blocked : .open)
    }
    let ping = RawClient.bytes(.ping, id: 9)
    image.connections[0].helloDeadline = 5
    image.connections[1].input = Array(ping.prefix(7))
    image.connections[1].flags.insert(.isReady)
    image.connections[2].flags.insert(.isYielding)
    image.connections[3].output = [1, 2, 3] + ping
    image.connections[3].cut = 3
    image.connections[3].flags.insert(.isArmed)
    image.connections[4].flags.insert(.sendsNoMore)
    image.sockets = [
      ServerImage.BoundSocket(
        name: "web", path: "/run/sample/web.sock", listener: 14, lock: 15, device: 7, inode: 100),
      ServerImage.BoundSocket(
        name: "", path: "/run/sample/hub.sock", listener: 12, lock: 13, device: 7, inode: 99),
    ]
    image.poller = 5
    image.callers = [ServerImage.Caller(connection: 21, request: 4)]
    return image
  }

  /// The whole image, as a file contains it.
  static func image(_ engine: borrowing HubEngine, _ server: ServerImage = SampleHub.server()) throws
    -> [UInt8]
  {
    let file = try ImageFile.write { image in
      server.write(to: &image)
      engine.write(to: &image)
    }
    return try ImageFile.read(file.raw) { $0.array }
  }

  /// The engine of an image's bytes.
  static func engine(from image: [UInt8], _ options: HubEngine.Options) throws -> HubEngine {
    var restoration = EngineBuilder(options: options)
    try image.withByteView { (bytes) -> Result<Void, ImageError> in
      do throws(ImageError) {
        var frames = ImageReader(try ImageHeader.body(of: bytes))
        while let frame = try frames.next() {
          if frame.rawKind < ImageFormat.firstForeignKind { try restoration.take(frame) }
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }.get()
    return try restoration.finish()
  }

  @discardableResult
  static func ask(_ engine: inout HubEngine, _ raw: Int32, _ request: Request) -> Reply? {
    var replies = OutputBuffer()
    RawClient.bytes(request, id: 1).withByteView {
      _ = engine.receive(
        FrameView(bytes: $0), from: SessionID(raw: raw), in: engine.openTurn(), now: now, into: &replies)
    }
    var cursor = FrameCursor(replies.view)
    return cursor.next().flatMap { try? Reply(decoding: $0) }
  }

  /// - Returns: how many bytes each session was sent.
  @discardableResult
  static func turn(_ engine: inout HubEngine) -> [Int32: Int] {
    var sent: [Int32: Int] = [:]
    let turn = engine.seal(engine.openTurn())
    while let session = engine.nextDue(in: turn) {
      for round in 0... {
        let due = engine.due(for: session, in: turn)
        if due.isEmpty { break }
        precondition(round < 10_000, "there is no end of what is due")
        sent[session.raw, default: 0] += due.count
        _ = engine.sent(due.count, to: session, in: turn)
      }
    }
    engine.end(turn)
    return sent
  }
}
