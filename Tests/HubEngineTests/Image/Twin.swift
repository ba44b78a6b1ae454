// One of two hubs with the same history: its requests, what its clients read, and what it writes.

import HubCore
import HubEngine

/// A hub with connections that take as many bytes as they may, and with a journal if its engine has one.
struct Twin: ~Copyable {
  struct Connection {
    /// Bytes that the connection has not taken yet, as the server keeps them.
    var unsent: [UInt8] = []
    var room = Int.max
    /// What its client has read since the last look.
    var read: [UInt8] = []
    var nextRequest: UInt32 = 1
  }

  private(set) var engine: HubEngine
  private(set) var journal = PaperJournal()
  private var connections: [Int32: Connection] = [:]
  /// The engine's number for each connection.
  private var numbers: [Int32: Int32] = [:]

  init(_ options: HubEngine.Options, now: Instant) {
    engine = HubEngine(options: options, epoch: Epoch(high: 1, low: 2), now: now)
    journal.begin(&engine)
  }

  // MARK: Connections

  mutating func connect(_ raw: Int32, now: Instant) {
    let number = numbers.values.contains(raw) ? (numbers.values.max() ?? 0) + 1 : raw
    numbers[raw] = number
    connections[raw] = Connection()
    engine.open(SessionID(raw: number), peer: Peer(pid: 1, uid: 1000, gid: 1000), now: now)
    ask(raw, .hello(name: "twin"), now: now)
  }

  mutating func disconnect(_ raw: Int32, now: Instant) {
    engine.close(session(raw), in: engine.openTurn(), now: now)
    connections[raw] = nil
    numbers[raw] = nil
  }

  private func session(_ raw: Int32) -> SessionID { SessionID(raw: numbers[raw]!) }

  mutating func ask(_ raw: Int32, _ request: Request, now: Instant) {
    var frame = OutputBuffer()
    request.encode(into: &frame, id: connections[raw]!.nextRequest)
    connections[raw]!.nextRequest += 1
    var replies = OutputBuffer()
    let turn = engine.openTurn()
    let receipt = engine.receive(
      FrameView(bytes: frame.view), from: session(raw), in: turn, now: now, into: &replies)
    if receipt.contains(.askAgain) {
      journal.commit(&engine)
      _ = engine.receive(
        FrameView(bytes: frame.view), from: session(raw), in: turn, now: now, into: &replies)
    }
    connections[raw]!.unsent += replies.array
    flush(raw)
    if !connections[raw]!.unsent.isEmpty { engine.pauseDelivery(to: session(raw)) }
  }

  /// The client reads `room` bytes, the waiting ones first.
  mutating func open(_ raw: Int32, room: Int) {
    connections[raw]!.room = room
    flush(raw)
    if connections[raw]!.unsent.isEmpty { engine.resumeDelivery(to: session(raw)) }
  }

  /// The server serves others first.
  mutating func hold(_ raw: Int32) { engine.pauseDelivery(to: session(raw)) }

  private mutating func flush(_ raw: Int32) {
    let count = min(connections[raw]!.unsent.count, connections[raw]!.room)
    connections[raw]!.read += connections[raw]!.unsent.prefix(count)
    connections[raw]!.unsent.removeFirst(count)
    if connections[raw]!.room != .max { connections[raw]!.room -= count }
  }

  // MARK: Turns

  mutating func turn(now: Instant) {
    let turn = engine.openTurn()
    engine.expire(in: turn, now: now)
    journal.commit(&engine)
    let sealed = engine.seal(turn)
    let names = Dictionary(uniqueKeysWithValues: numbers.map { ($1, $0) })
    while let due = engine.nextDue(in: sealed) {
      let raw = names[due.raw]!
      while true {
        let bytes = engine.due(for: due, in: sealed)
        if bytes.isEmpty { break }
        let count = min(bytes.count, connections[raw]!.room)
        connections[raw]!.read += bytes.slice(0, count).array
        let rest = engine.sent(count, to: due, in: sealed).array
        if connections[raw]!.room != .max { connections[raw]!.room -= count }
        connections[raw]!.unsent += rest
      }
    }
    engine.end(sealed)
  }

  mutating func declare(_ declarations: [(StoreName, Schema)], now: Instant) {
    _ = try? engine.declare(declarations, now: now)
  }

  /// The journal cannot be written, and a little later it can again, with a snapshot if it needs one.
  mutating func failJournal(now: Instant) {
    engine.journalFailed("the disk is full")
    let turn = engine.seal(engine.openTurn())
    while engine.nextDue(in: turn) != nil {}
    engine.end(turn)
  }

  mutating func mendJournal(now: Instant) {
    if engine.owesSnapshot {
      engine.renewJournal()
      journal.compact(engine, now: now)
    }
    engine.openJournal()
  }

  var isJournalOpen: Bool { engine.isJournalOpen }
  var storeCount: Int { engine.storeCount }
  var revision: Revision { engine.revision }
  var epoch: Epoch { engine.epoch }

  // MARK: Ends

  mutating func restart(_ end: HubEnd, now: Instant, then: Instant) throws(HubError) {
    if end == .stop {
      for raw in connections.keys.sorted() { disconnect(raw, now: now) }
      journal.end(&engine, now: now)
    }
    engine = try journal.engine(engine.options, epoch: engine.epoch, behind: end, now: then)
    journal.begin(&engine)
    (connections, numbers) = ([:], [:])
  }

  mutating func compact(now: Instant) { journal.compact(engine, now: now) }

  /// Replaces the engine by one restored from its image, with other numbers for its connections.
  ///
  /// - Returns: what is wrong.
  mutating func handOver(renumber: Bool) -> String? {
    let image = EngineImage.bytes(of: engine)
    do throws(ImageError) {
      let copy = try EngineImage.engine(from: image, options: engine.options)
      if EngineImage.bytes(of: copy) != image { return "the image was not kept whole" }
      if !renumber {
        engine = copy
        return nil
      }
      // Numbers far from the old ones, in reverse order.
      engine = try EngineImage.engine(from: image, options: engine.options) { 900 - $0 }
      for (raw, number) in numbers { numbers[raw] = 900 - number }
      return nil
    } catch {
      return "the image cannot be read: \(error)"
    }
  }

  /// What the clients have read since the last call.
  mutating func takeRead() -> [Int32: [UInt8]] {
    let read = connections.mapValues(\.read)
    for raw in connections.keys { connections[raw]!.read = [] }
    return read
  }
}
