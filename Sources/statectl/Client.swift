// statectl's side of a connection: requests, the expected kind of each reply, and its deadline. It does not print.

internal import HubCore
internal import HubTransport

struct Client: ~Copyable {
  private var connection: HubConnection
  /// The deadline of everything. Nil: each reply has the library's default time.
  private let limit: Deadline?
  /// Updated while the client waits for an answer.
  var progress: Progress?

  init(to place: SocketPath, for verb: VerbSpec, until limit: Deadline?) throws(Failure) {
    self.limit = limit
    connection = try attempt { () throws(HubError) in
      try HubConnection(
        to: place, name: "statectl " + verb.name,
        deadline: limit ?? .after(HubConnection.defaultPatience))
    }
  }

  /// Ends it as a client; the connection stays open.
  consuming func intoConnection() -> HubConnection { connection }

  /// How the hub introduced itself, once it has answered something.
  var welcome: Welcome? { connection.welcome }

  /// The longest frame that the hub accepts, once it has answered something.
  var longestFrame: Int {
    get throws(Failure) {
      guard let welcome else { throw .unexpectedReply }
      return Int(welcome.maximumFrameLength)
    }
  }

  /// Queues a request and returns its number; waiting for a reply sends all queued ones.
  mutating func enqueue(_ request: Request) -> UInt32 { connection.enqueue(request) }

  mutating func receive(_ id: UInt32) throws(Failure) -> Reply {
    try wait { connection, deadline throws(HubError) in try connection.receive(id, deadline: deadline) }
  }

  /// The next event of this connection's watches.
  mutating func nextEvent() throws(Failure) -> HubEvent {
    try wait { connection, deadline throws(HubError) in try connection.nextEvent(deadline: deadline) }
  }

  /// Waits in parts, and reports progress after each.
  private mutating func wait<Message>(
    for next: (inout HubConnection, Deadline) throws(HubError) -> Message
  ) throws(Failure) -> Message {
    let limit = limit ?? .after(HubConnection.defaultPatience)
    while true {
      let pause = progress?.pause
      do throws(HubError) {
        return try next(&connection, pause.map { min(limit, .after($0)) } ?? limit)
      } catch {
        guard error.code == .timeout, pause != nil, .now < limit else { throw .hub(error) }
        progress?.tell()
      }
    }
  }

  mutating func ask(_ request: Request) throws(Failure) -> Reply { try receive(enqueue(request)) }

  /// Lists all stores that match, page by page.
  mutating func list(
    _ pattern: NamePattern, _ body: (inout Client, StoreSummary) throws(Failure) -> Void
  ) throws(Failure) {
    var after = ""
    while true {
      guard case .listed(let stores, let more) = try ask(.list(pattern, after: after)) else {
        throw .unexpectedReply
      }
      for store in stores { try body(&self, store) }
      guard more, let last = stores.last else { return }
      after = last.name
    }
  }

  mutating func write(_ operation: WriteOperation) throws(Failure) -> WriteResult {
    try protect([operation]) { client, operations throws(Failure) in
      try client.written(client.enqueue(.write(operations[0])))
    }
  }

  /// Executes writes that may set values that end: see `KeptValues`.
  mutating func protect<Result>(
    _ operations: [WriteOperation],
    _ send: (inout Client, [WriteOperation]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try KeptValues.protect(operations, with: &self) { client, name throws(Failure) in
      try client.ask(.describe(.name(name)))
    } send: { client, operations throws(Failure) in
      try send(&client, operations)
    }
  }

  /// Executes a transaction.
  mutating func commit(
    _ operations: [WriteOperation]
  ) throws(Failure) -> (revision: Revision, results: [WriteResult]) {
    guard case .committed(let revision, let results) = try ask(.transaction(operations)),
      results.count == operations.count
    else { throw .unexpectedReply }
    return (revision, results)
  }

  /// Executes writes, each by itself.
  mutating func write(_ operations: [WriteOperation]) throws(Failure) {
    let requests = operations.map { connection.enqueue(.write($0)) }
    for request in requests { _ = try written(request) }
  }

  /// The answer to a write that was enqueued.
  mutating func written(_ id: UInt32) throws(Failure) -> WriteResult {
    do throws(Failure) {
      guard case .written(let result) = try receive(id) else { throw .unexpectedReply }
      return result
    } catch {
      throw error.ofWrite
    }
  }

  /// The answer to a `typeQuestion` that was enqueued; nil if there is no such store.
  mutating func type(_ id: UInt32) throws(Failure) -> ValueType? {
    guard case .listed(let stores, _) = try receive(id) else { throw .unexpectedReply }
    return stores.first?.type
  }

  /// The cheapest question for a store's type, a list of that one name: it never brings a long value.
  static func typeQuestion(_ name: StoreName) -> Request { .list(NamePattern(name), limit: 1) }
}

extension HubError {
  static var unexpectedReply: HubError {
    HubError(.protocolViolation, "the hub's reply does not match the request")
  }
}

extension Failure {
  static var unexpectedReply: Failure { .hub(.unexpectedReply) }

  /// When the connection is lost after a write was sent, its outcome is unknown.
  var ofWrite: Failure {
    guard isHub(.connectionLost) || isHub(.timeout) else { return self }
    return with { $0.message += "; its outcome is unknown" }
  }

  func isHub(_ code: HubError.Code) -> Bool {
    if case .hub(let error) = self { error.code == code } else { false }
  }
}

/// Runs what can fail with a `HubError` where a `Failure` is expected.
func attempt<T: ~Copyable>(_ body: () throws(HubError) -> T) throws(Failure) -> T {
  do throws(HubError) {
    return try body()
  } catch {
    throw .hub(error)
  }
}
