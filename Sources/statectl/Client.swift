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

  /// Queues a request and returns its number; waiting for a reply sends all queued ones.
  mutating func enqueue(_ request: Request) -> UInt32 { connection.enqueue(request) }

  mutating func receive(_ id: UInt32) throws(Failure) -> Reply {
    let limit = limit ?? .after(HubConnection.defaultPatience)
    while true {
      do throws(HubError) {
        return try connection.receive(id, deadline: slice(of: limit))
      } catch {
        guard isPause(error, before: limit) else { throw .hub(error) }
      }
    }
  }

  /// The next event of this connection's watches.
  mutating func nextEvent() throws(Failure) -> HubEvent {
    let limit = limit ?? .after(HubConnection.defaultPatience)
    while true {
      do throws(HubError) {
        return try connection.nextEvent(deadline: slice(of: limit))
      } catch {
        guard isPause(error, before: limit) else { throw .hub(error) }
      }
    }
  }

  /// How long to wait before the next sign of progress.
  private func slice(of limit: Deadline) -> Deadline {
    guard let pause = progress?.pause else { return limit }
    return min(limit, .after(pause))
  }

  private func isPause(_ error: HubError, before limit: Deadline) -> Bool {
    guard error.code == .timeout, progress?.pause != nil, .now < limit else { return false }
    progress?.tell()
    return true
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
    guard case .hub(var error) = self, error.code == .connectionLost || error.code == .timeout else {
      return self
    }
    error.message += "; its outcome is unknown"
    return .hub(error)
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
