// One run of `statectl pipe`: waits for lines, for the hub and for the reader at once, and serves each when it is ready.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// A watch with its own connection, which outlives it.
private final class PipeWatch {
  let id: JSONValue
  var follower: Follower
  /// It has reported everything that has arrived.
  var isDone = false

  init(_ id: JSONValue, _ follower: consuming Follower) {
    self.id = id
    self.follower = follower
  }
}

struct PipeSession: ~Copyable {
  /// The version of the format in docs/pipe.md.
  static let version: UInt8 = 1
  private let place: SocketPath
  private let patience: Duration
  private var connection: PipeConnection
  private var watches: [PipeWatch] = []
  private var input = OutputBuffer(capacity: 1 << 12)
  private var hasEnded = false

  /// A longer line ends the program: no hub accepts so much.
  private static let longestLine = 64 << 20
  /// At most this many requests are executed before the watches get their turn.
  private static let requestsAtOnce = 256

  init(at place: SocketPath, patience: Duration) {
    self.place = .explicit(place.resolved)
    self.patience = patience
    connection = PipeConnection(to: self.place, patience: patience)
  }

  /// - Throws: errors at the start; errors that a reconnect cannot fix; `outputClosed`.
  mutating func run(_ output: inout Output) throws(Failure) {
    try connection.open(&output)
    while true {
      let hasMore = try serve(&output)
      try tellEvents(&output)
      try connection.advance(&output)
      try output.flush()
      if hasEnded, !hasMore { return }
      if hasMore || watches.contains(where: { !$0.isDone }) { continue }
      try pause(output.descriptor)
    }
  }

  private mutating func pause(_ output: Int32) throws(Failure) {
    var due = connection.nextAttempt
    var entries: [(Int32, Poll.Purpose)] = [
      (StandardStream.input.raw, .reading), (connection.descriptor, .reading), (output, .closing),
    ]
    for watch in watches {
      due = min(due, watch.follower.nextAttempt)
      entries.append((watch.follower.descriptor, .reading))
    }
    let results = Poll.wait(entries, milliseconds: due.pollTimeout())
    if results[2].isClosed { throw .outputClosed }
    if results[0].isReady { try read() }
  }

  private mutating func read() throws(Failure) {
    switch input.read(from: StandardStream.input.raw) {
    case .bytes, .wouldBlock: break
    case .ended: hasEnded = true
    case .failed(let problem): throw .system("cannot read standard input", problem)
    }
    if input.count > PipeSession.longestLine {
      throw .hub(HubError(.tooLarge, "a line is longer than \(PipeSession.longestLine >> 20) MiB"))
    }
  }

  /// Executes the requests that have arrived.
  ///
  /// - Returns: whether there are more.
  private mutating func serve(_ output: inout Output) throws(Failure) -> Bool {
    for _ in 0..<PipeSession.requestsAtOnce {
      let end = input.view.firstIndex(of: UInt8(ascii: "\n"))
      guard let length = end ?? (hasEnded && !input.isEmpty ? input.count : nil) else { return false }
      let line = input.view.slice(0, length).array
      input.dropFirst(min(length + 1, input.count))
      if line.contains(where: { $0 > 0x20 }) { try serve(line, &output) }
    }
    return true
  }

  private mutating func serve(_ text: [UInt8], _ output: inout Output) throws(Failure) {
    var id = JSONValue(.null)
    do throws(Failure) {
      let line = try PipeLine(text)
      id = line.id
      let operation = try PipeOperation(line)
      try serve(operation, try line.fields(operation), id, &output)
    } catch {
      guard case .hub = error else { throw error }
      try output.answer(id, error)
      try connection.failed(error, &output)
    }
  }

  private mutating func serve(
    _ operation: PipeOperation, _ fields: JSONFields, _ id: JSONValue, _ output: inout Output
  ) throws(Failure) {
    switch operation {
    case .ping: try output.answer(id, try connection.ask(.ping, &output), [])
    case .restrict:
      let restriction = try fields.restriction("to")
      try connection.restrict(to: restriction, &output)
      for watch in watches { try watch.follower.restrict(to: restriction, until: .after(patience)) }
      try output.answer(id) { _ in }
    case .get:
      let name = try fields.name()
      try output.answer(id, try connection.ask(.get(.name(name)), &output), [name])
    case .list:
      let glob = fields["glob"] == nil ? "**" : try fields.text("glob")
      let pattern = try attempt { () throws(HubError) in try NamePattern(glob) }
      let most = PipeOperation.mostListed
      let request = Request.list(
        pattern, after: fields["after"] == nil ? "" : try fields.text("after"),
        limit: try fields.count("limit", in: 1...most) ?? most)
      try output.answer(id, try connection.ask(request, &output), [])
    case .set, .add, .toggle, .reset, .remove, .create:
      let write = try StoreWrite(operation, fields)
      try output.answer(id, try carryOut([write], isOne: true, &output), [write.store])
    case .txn:
      let writes = try fields.writes("ops")
      try output.answer(id, try carryOut(writes, isOne: false, &output), writes.map(\.store))
    case .watch: try open(fields, id, &output)
    case .unwatch:
      let watch = try fields.required("watch")
      guard let index = watches.firstIndex(where: { $0.id == watch }) else {
        throw JSONFields.failure("there is no such watch")
      }
      watches.remove(at: index)
      try output.answer(id) { _ in }
    }
  }

  /// A value is sent with its apparent type. If the store has another type, it is sent again with that.
  private mutating func carryOut(
    _ writes: [StoreWrite], isOne: Bool, _ output: inout Output
  ) throws(Failure) -> Reply {
    var operations: [WriteOperation] = []
    for write in writes { operations.append(try write.operation(nil)) }
    do throws(Failure) {
      return try connection.write(operations, isOne: isOne, &output)
    } catch {
      guard error.mayBeOfType, writes.contains(where: \.needsType) else { throw error.ofWrite }
      var typed: [WriteOperation] = []
      for write in writes {
        let type = write.needsType ? try type(of: write.store, &output) : nil
        // The hub's own error is more specific.
        guard let operation = try? write.operation(type) else { throw error }
        typed.append(operation)
      }
      if typed == operations { throw error }
      do throws(Failure) {
        return try connection.write(typed, isOne: isOne, &output)
      } catch {
        throw error.ofWrite
      }
    }
  }

  private mutating func type(of name: StoreName, _ output: inout Output) throws(Failure) -> ValueType? {
    guard case .listed(let stores, _) = try connection.ask(Client.typeQuestion(name), &output) else {
      throw .unexpectedReply
    }
    return stores.first?.type
  }

  private mutating func open(
    _ fields: JSONFields, _ id: JSONValue, _ output: inout Output
  ) throws(Failure) {
    let patterns = try fields.patterns("names")
    let policy: WatchPolicy = try fields.flag("every") ? .every : .latest
    let filter = try fields.filter()
    guard id != JSONValue(.null), !watches.contains(where: { $0.id == id }) else {
      throw JSONFields.failure("a watch needs its own id")
    }
    let follower = try Follower(
      patterns, policy: policy, at: place, for: .pipe, until: .never, filter: filter,
      restrictedTo: connection.restriction, isQuiet: true)
    watches.append(PipeWatch(id, follower))
    try output.answer(id) { _ in }
  }

  private mutating func tellEvents(_ output: inout Output) throws(Failure) {
    var ended: [JSONValue] = []
    for watch in watches {
      var end: Failure?
      do throws(Failure) { watch.isDone = try !watch.follower.advance(until: .never) } catch { end = error }
      for event in watch.follower.takeEvents() { try output.event(event, of: watch.id) }
      guard let end else { continue }
      ended.append(watch.id)
      try output.end(of: watch.id, end)
    }
    if !ended.isEmpty { watches.removeAll { ended.contains($0.id) } }
  }
}
