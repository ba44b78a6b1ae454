// A small image for trying a program before a reload: a hub with the settings in force, one store and one watch. A program
// that cannot restore it could not restore the real one.

import HubCore
import HubEngine
import HubSystem

enum TrialImage {
  private static let session = SessionID(raw: 3)
  private static let name = "trial"
  private static let value = Value.integer(1)

  static func write(_ settings: ServerOptions) throws(ServerError) -> Descriptor {
    var server = ServerImage()
    server.release = settings.engine.release
    server.settings = settings
    return try ImageFile.write { image in
      server.write(to: &image)
      engine(settings.engine).write(to: &image)
    }
  }

  /// Restores the image as far as possible without its descriptors.
  ///
  /// - Returns: why that fails.
  static func problem(with file: Int32) -> String? {
    do throws(ImageError) {
      let isWhole = try ImageFile.read(file) { (bytes) throws(ImageError) in
        let body = try ImageHeader.body(of: bytes)
        let server = try ServerImage(reading: body)
        var builder = EngineBuilder(options: options(server.settings.engine))
        var frames = ImageReader(body)
        while let frame = try frames.next() {
          if frame.rawKind < ImageFormat.firstForeignKind { try builder.take(frame) }
        }
        var engine = try builder.finish()
        return engine.watchCount == 1 && holdsValue(&engine)
      }
      return isWhole ? nil : "what it has taken over is not what was left"
    } catch {
      return error.description
    }
  }

  private static func engine(_ wanted: HubEngine.Options) -> HubEngine {
    let now = Instant(wall: 1, boot: 1)
    var engine = HubEngine(options: options(wanted), now: now)
    engine.open(session, peer: Peer(pid: 1, uid: 0, gid: 0), now: now)
    ask(&engine, .hello(name: name))
    if let pattern = try? NamePattern(name), let store = try? StoreName(name) {
      ask(&engine, .write(.create(store, Schema(type: .integer))))
      ask(&engine, .write(.set(.name(store), value, lifetime: .permanent)))
      ask(&engine, .watch([pattern], policy: .latest))
    }
    let turn = engine.seal(engine.openTurn())
    while let due = engine.nextDue(in: turn) {
      _ = engine.sent(engine.due(for: due, in: turn).count, to: due, in: turn)
    }
    engine.end(turn)
    return engine
  }

  /// The log of a trial is short, and nothing is written to disk.
  private static func options(_ wanted: HubEngine.Options) -> HubEngine.Options {
    var options = wanted
    options.changeLogBytes = 1 << 16
    options.journals = false
    options.strict = false
    return options
  }

  private static func holdsValue(_ engine: inout HubEngine) -> Bool {
    guard let store = try? StoreName(name), case .value(let state)? = ask(&engine, .get(.name(store))) else {
      return false
    }
    return state.value == value
  }

  @discardableResult
  private static func ask(_ engine: inout HubEngine, _ request: Request) -> Reply? {
    var bytes = OutputBuffer()
    var replies = OutputBuffer()
    request.encode(into: &bytes, id: 1)
    _ = engine.receive(
      FrameView(bytes: bytes.view), from: session, in: engine.openTurn(), now: Instant(wall: 1, boot: 1),
      into: &replies)
    var frames = FrameCursor(replies.view)
    return frames.next().flatMap { try? Reply(decoding: $0) }
  }
}
