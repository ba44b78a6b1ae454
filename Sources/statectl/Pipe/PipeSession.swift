// One run of `statectl pipe`: waits for lines, for the hub and for the reader at once, and serves each when it is ready.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// A watch with a connection of its own, which outlives it.
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
    var result = Transfer.ended
    input.fill(room: 1 << 16) { room in
      result = Descriptor.read(StandardStream.input.raw, into: room)
      return result.count ?? 0
    }
    switch result {
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
      try serve(try PipeAction(line), id, &output)
    } catch {
      guard case .hub = error else { throw error }
      try output.answer(id, error)
      try connection.failed(error, &output)
    }
  }

  private mutating func serve(
    _ action: PipeAction, _ id: JSONValue, _ output: inout Output
  ) throws(Failure) {
    switch action {
    case .ping: try output.answer(id, try connection.ask(.ping, &output), [])
    case .restrict(let restriction):
      try connection.restrict(to: restriction, &output)
      for watch in watches { try watch.follower.restrict(to: restriction, until: .after(patience)) }
      try output.answer(id) { _ in }
    case .get(let name): try output.answer(id, try connection.ask(.get(.name(name)), &output), [name])
    case .list(let pattern, let after, let limit):
      try output.answer(id, try connection.ask(.list(pattern, after: after, limit: limit), &output), [])
    case .write(let write): try output.answer(id, try carryOut([write], isOne: true, &output), [write.name])
    case .transaction(let writes):
      try output.answer(id, try carryOut(writes, isOne: false, &output), writes.map(\.name))
    case .watch(let patterns, let policy, let filter): try open(patterns, policy, filter, id, &output)
    case .unwatch(let watch):
      guard let index = watches.firstIndex(where: { $0.id == watch }) else {
        throw JSONFields.failure("there is no such watch")
      }
      watches.remove(at: index)
      try output.answer(id) { _ in }
    }
  }

  /// A value is sent with its apparent type. If the store has another type, it is sent again with that.
  private mutating func carryOut(
    _ writes: [PipeWrite], isOne: Bool, _ output: inout Output
  ) throws(Failure) -> Reply {
    var operations: [WriteOperation] = []
    for write in writes { operations.append(try write.operation(as: nil)) }
    do throws(Failure) {
      return try connection.write(operations, isOne: isOne, &output)
    } catch {
      guard case .hub(let refusal) = error, writes.contains(where: \.needsType) else { throw error.ofWrite }
      switch refusal.code {
      case .typeMismatch, .invalidValue, .outOfRange, .conflict: break
      default: throw error.ofWrite
      }
      var typed: [WriteOperation] = []
      for write in writes {
        let type = write.needsType ? try type(of: write.name, &output) : nil
        // The hub's own error is more specific.
        guard let operation = try? write.operation(as: type) else { throw error }
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
    _ patterns: [NamePattern], _ policy: WatchPolicy, _ filter: WatchFilter?, _ id: JSONValue,
    _ output: inout Output
  ) throws(Failure) {
    guard id != JSONValue(.null), !watches.contains(where: { $0.id == id }) else {
      throw JSONFields.failure("a watch needs an id of its own")
    }
    var events: [StoreEvent] = []
    let follower = try Follower(
      patterns, policy: policy, at: place, for: .pipe, until: .never, filter: filter,
      restrictedTo: connection.restriction, isQuiet: true, into: &events)
    watches.append(PipeWatch(id, follower))
    try output.answer(id) { _ in }
  }

  private mutating func tellEvents(_ output: inout Output) throws(Failure) {
    var ended: [JSONValue] = []
    for watch in watches {
      var events: [StoreEvent] = []
      do throws(Failure) {
        watch.isDone = try !watch.follower.advance(until: .never, into: &events)
      } catch {
        ended.append(watch.id)
        for event in events { try output.event(event, of: watch.id) }
        try output.end(of: watch.id, error)
        continue
      }
      for event in events { try output.event(event, of: watch.id) }
    }
    if !ended.isEmpty { watches.removeAll { ended.contains($0.id) } }
  }
}
