// Lets a test talk to an engine in requests and replies.

import HubCore
import HubEngine
import TestSupport
import Testing

struct EngineFixture: ~Copyable {
  var engine: HubEngine
  var now = Instant(wall: 1_700_000_000_000_000_000, boot: 1_000_000_000)
  private var nextRequest: UInt32 = 1

  init(configure: (inout HubEngine.Options) -> Void = { _ in }) {
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 16
    configure(&options)
    engine = HubEngine(options: options, epoch: Epoch(high: 7, low: 9), now: now)
  }

  mutating func connect(
    _ raw: Int32 = 3, uid: UInt32 = 1000, name: String = "fixture", at socket: String? = nil
  ) -> SessionID {
    let session = SessionID(raw: raw)
    engine.open(session, peer: Peer(pid: 42, uid: uid, gid: 100), at: socket, now: now)
    _ = ask(session, .hello(name: name))
    return session
  }

  /// Sends a request and returns the first reply.
  mutating func ask(_ session: SessionID, _ request: Request) -> Reply {
    var frame = OutputBuffer()
    request.encode(into: &frame, id: nextRequest)
    nextRequest += 1
    return ask(session, frame.array).reply
  }

  mutating func ask(_ session: SessionID, _ frame: [UInt8]) -> (
    reply: Reply, receipt: Receipt
  ) {
    var replies = OutputBuffer()
    let receipt = frame.withByteView {
      engine.receive(
        FrameView(bytes: $0), from: session, in: engine.openTurn(), now: now, into: &replies)
    }
    var frames = FrameCursor(replies.view)
    guard let first = frames.next() else { return (.unwatched, receipt) }
    return ((try? Reply(decoding: first)) ?? .unwatched, receipt)
  }

  mutating func expire() { engine.expire(in: engine.openTurn(), now: now) }

  mutating func close(_ session: SessionID) { engine.close(session, in: engine.openTurn(), now: now) }

  mutating func write(_ session: SessionID, _ operation: WriteOperation) -> Reply {
    ask(session, .write(operation))
  }

  /// What a change costs beside so many watches of its store with a filter, in the engine's units.
  static func costOfChange(beside followers: Int, _ filter: WatchFilter) throws -> Int {
    var hub = EngineFixture()
    let writer = hub.connect()
    _ = hub.write(writer, .set("a", .integer(0)))
    for raw in 0..<Int32(followers) {
      let session = hub.connect(10 + raw)
      _ = hub.ask(session, .watch([try NamePattern("a")], filter: filter))
    }
    _ = hub.turn()
    let before = hub.engine.work
    _ = hub.write(writer, .set("a", .integer(1)))
    _ = hub.turn()
    return hub.engine.work - before
  }

  /// Ends the turn; returns the events of each session that was due.
  mutating func turn() -> [Int32: [HubEvent]] {
    let turn = engine.seal(engine.openTurn())
    var events: [Int32: [HubEvent]] = [:]
    while let session = engine.nextDue(in: turn) {
      while true {
        let due = engine.due(for: session, in: turn)
        if due.isEmpty { break }
        var cursor = FrameCursor(due)
        while let frame = cursor.next() {
          if let event = try? HubEvent(decoding: frame) { events[session.raw, default: []].append(event) }
        }
        _ = engine.sent(due.count, to: session, in: turn)
      }
    }
    engine.end(turn)
    while engine.isHandingOut { engine.end(engine.resume()) }
    return events
  }
}

extension Reply {
  var errorCode: HubError.Code? {
    if case .error(let error) = self { error.code } else { nil }
  }

  var result: WriteResult? {
    if case .written(let result) = self { result } else { nil }
  }

  var state: StoreState? {
    if case .value(let state) = self { state } else { nil }
  }
}
