// The real engine with connections whose bytes a simulation moves, and a record of what truly happened. It opens no socket.

import HubCore
import HubEngine

/// One connection: bytes on their way, and what the hub could not send yet.
struct SimulatedWire {
  var toHub: [UInt8] = []
  var toClient: [UInt8] = []
  /// How many bytes may be on their way to the client at once.
  var capacity: Int
  /// What the connection did not take.
  var kept: [UInt8] = []
  /// Whole frames are cut out of what arrives here.
  var received: [UInt8] = []

  var room: Int { max(0, capacity - toClient.count) }

  mutating func flush() {
    let count = min(kept.count, room)
    toClient += kept.prefix(count)
    kept.removeFirst(count)
  }
}

final class SimulatedHub {
  static let names = ["a", "a.b", "a.c", "b", "b.c", "flag", "text"]

  private var engine: HubEngine
  private let options: HubEngine.Options
  let past = Past()
  private(set) var wires: [Int32: SimulatedWire] = [:]
  private(set) var states: [String: StoreState] = [:]
  private(set) var now = Instant(wall: 1_700_000_000_000_000_000, boot: 1_000_000_000)
  private var generation: UInt64 = 1
  private var lastWire: Int32 = 0
  private let observer = SessionID(raw: 0)
  private var scratch = OutputBuffer(capacity: 1024)
  private let questions: [(String, [UInt8])]

  init(_ options: HubEngine.Options) {
    self.options = options
    engine = HubEngine(options: options, epoch: Epoch(high: 1, low: 0), now: now)
    questions = SimulatedHub.names.map { name in
      var frame = OutputBuffer()
      Request.get(.name(try! StoreName(name))).encode(into: &frame, id: 1)
      return (name, frame.array)
    }
    introduceObserver()
  }

  var epoch: Epoch { engine.epoch }
  var revision: Revision { engine.revision }

  /// Whether something moves without anybody's doing.
  var isQuiet: Bool { wires.values.allSatisfy { $0.toHub.isEmpty && $0.toClient.isEmpty && $0.kept.isEmpty } }

  private func introduceObserver() {
    engine.open(observer, peer: Peer(pid: 1, uid: 1, gid: 1), now: now)
    _ = ask(.hello(name: "observer"))
    past.record(epoch, 0, [:])
  }

  // MARK: Connections

  func connect(capacity: Int) -> Int32 {
    // Never one that a program may not have noticed the end of.
    lastWire += 1
    let raw = lastWire
    wires[raw] = SimulatedWire(capacity: capacity)
    engine.open(SessionID(raw: raw), peer: Peer(pid: 2, uid: 2, gid: 2), now: now)
    return raw
  }

  func disconnect(_ raw: Int32) {
    guard wires.removeValue(forKey: raw) != nil else { return }
    change { engine.close(SessionID(raw: raw), in: engine.openTurn(), now: now) }
  }

  /// Every connection breaks. With `keepingState` the hub goes on as it was; else another one takes its place.
  func restart(keepingState: Bool) {
    for raw in wires.keys.sorted() { disconnect(raw) }
    guard !keepingState else { return }
    generation += 1
    engine = HubEngine(options: options, epoch: Epoch(high: generation, low: 0), now: now)
    states = [:]
    introduceObserver()
  }

  // MARK: Bytes

  func append(_ bytes: [UInt8], to raw: Int32) { wires[raw]?.toHub += bytes }

  /// The hub reads what has arrived, up to `count` bytes, and answers.
  func read(_ raw: Int32, _ count: Int) {
    guard var wire = wires[raw] else { return }
    wire.received += wire.toHub.prefix(count)
    wire.toHub.removeFirst(min(count, wire.toHub.count))
    let received = wire.received
    wires[raw] = wire
    var taken = 0
    received.withByteView { bytes in
      var cursor = FrameCursor(bytes)
      while wires[raw] != nil, let frame = cursor.next() {
        receive(frame, raw)
        taken += frame.bytes.count
      }
    }
    wires[raw]?.received.removeFirst(taken)
  }

  private func receive(_ frame: FrameView, _ raw: Int32) {
    let reply = carryOut(frame, SessionID(raw: raw))
    wires[raw]!.kept += reply
    wires[raw]!.flush()
    if !wires[raw]!.kept.isEmpty { engine.pauseDelivery(to: SessionID(raw: raw)) }
  }

  /// The client takes bytes off the connection.
  func take(_ raw: Int32, _ count: Int) -> [UInt8] {
    guard var wire = wires[raw] else { return [] }
    let bytes = Array(wire.toClient.prefix(count))
    wire.toClient.removeFirst(bytes.count)
    let wasHeld = !wire.kept.isEmpty
    wire.flush()
    wires[raw] = wire
    if wasHeld, wire.kept.isEmpty { engine.resumeDelivery(to: SessionID(raw: raw)) }
    return bytes
  }

  func setCapacity(_ capacity: Int, of raw: Int32) {
    wires[raw]?.capacity = capacity
    _ = take(raw, 0)
    // A connection that was full while nothing was kept is writable again.
    if let wire = wires[raw], wire.kept.isEmpty { engine.resumeDelivery(to: SessionID(raw: raw)) }
  }

  /// Ends the turn and sends what is due.
  func turn() {
    while let deadline = engine.nextDeadline, deadline <= now.boot {
      change { engine.expire(in: engine.openTurn(), now: Instant(wall: now.wall, boot: deadline)) }
    }
    let turn = engine.seal(engine.openTurn())
    while let session = engine.nextDue(in: turn) {
      while true {
        let due = engine.due(for: session, in: turn)
        if due.isEmpty { break }
        let count = min(due.count, wires[session.raw]!.room)
        let taken = due.slice(0, count).array
        let rest = engine.sent(count, to: session, in: turn).array
        wires[session.raw]!.toClient += taken
        wires[session.raw]!.kept += rest
      }
      if wires[session.raw]!.kept.isEmpty, wires[session.raw]!.room == 0 { engine.pauseDelivery(to: session) }
    }
    engine.end(turn)
  }

  func advance(by nanoseconds: UInt64) {
    now.boot += nanoseconds
    now.wall += Int64(nanoseconds)
  }

  // MARK: Writes

  /// Somebody else asks.
  @discardableResult
  func ask(_ request: Request) -> Reply? {
    var frame = OutputBuffer()
    request.encode(into: &frame, id: 1)
    var reply: Reply?
    carryOut(FrameView(bytes: frame.view), observer).withByteView {
      var cursor = FrameCursor($0)
      if let frame = cursor.next() { reply = try? Reply(decoding: frame) }
    }
    return reply
  }

  private func carryOut(_ frame: FrameView, _ session: SessionID) -> [UInt8] {
    // No two lifetimes end together: the order would be a matter of chance.
    now.boot += 1
    let before = engine.revision
    scratch.clear()
    _ = engine.receive(frame, from: session, in: engine.openTurn(), now: now, into: &scratch)
    let bytes = scratch.array
    if let request = try? Request(decoding: frame) { note(request, bytes) }
    if engine.revision != before { past.record(epoch, engine.revision, refresh()) }
    return bytes
  }

  /// Records what a request has changed, as its reply tells.
  private func note(_ request: Request, _ bytes: [UInt8]) {
    var results: [WriteResult] = []
    let operations: [WriteOperation]
    switch request {
    case .write(let operation): operations = [operation]
    case .transaction(let list): operations = list
    default: return
    }
    bytes.withByteView { bytes in
      var cursor = FrameCursor(bytes)
      guard let frame = cursor.next() else { return }
      switch try? Reply(decoding: frame) {
      case .written(let result): results = [result]
      case .committed(_, let list): results = list
      default: break
      }
    }
    for (operation, result) in zip(operations, results) where result.changed {
      var change = TrueChange(revision: result.revision, version: result.version)
      if case .remove = operation { change.isRemoval = true }
      past.record(epoch, operation.storeName, change)
      if let token = operation.token { past.execute(token) }
    }
  }

  /// Lets the engine change by itself: each store at most once.
  private func change(_ body: () -> Void) {
    let (revision, before) = (engine.revision, states)
    body()
    guard engine.revision != revision else { return }
    let after = refresh()
    for (name, old) in before {
      guard let new = after[name] else {
        past.record(
          epoch, name, TrueChange(revision: engine.revision, version: old.version + 1, isRemoval: true))
        continue
      }
      if new.version != old.version {
        past.record(epoch, name, TrueChange(revision: new.revision, version: new.version))
      }
    }
    past.record(epoch, engine.revision, after)
  }

  private func refresh() -> [String: StoreState] {
    states.removeAll(keepingCapacity: true)
    for (name, question) in questions {
      scratch.clear()
      question.withByteView {
        _ = engine.receive(
          FrameView(bytes: $0), from: observer, in: engine.openTurn(), now: now, into: &scratch)
      }
      if case .value(let state)? = try? Reply(decoding: FrameView(bytes: scratch.view)) {
        states[name] = state
      }
    }
    return states
  }
}

extension WriteOperation {
  var storeName: String {
    switch self {
    case .set(.name(let name), _, _, _, _), .add(.name(let name), _, _), .toggle(.name(let name)),
      .reset(.name(let name)), .remove(.name(let name), _), .create(let name, _, _):
      name.text
    default: fatalError("simulated programs write by name")
    }
  }

  /// What makes a write of a simulated program unmistakable: a number that occurs in no other.
  var token: Int64? {
    switch self {
    case .set(_, .integer(let number), _, _, _), .add(_, .integer(let number), _):
      number >= SimulatedWrites.firstToken ? number : nil
    default: nil
    }
  }
}
