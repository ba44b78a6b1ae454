// The connection that the requests of `statectl pipe` share: one request at a time, in order. It reconnects by itself.

internal import HubCore
internal import HubTransport

struct PipeConnection: ~Copyable {
  private let patience: Duration
  private var link: Link

  init(to place: SocketPath, patience: Duration) {
    self.patience = patience
    link = Link(to: place, for: .pipe, isQuiet: true)
  }

  /// What to poll for reading; -1 while there is no connection.
  var descriptor: Int32 { link.descriptor }
  var nextAttempt: Deadline { link.nextAttempt }
  var restriction: Restriction? { link.restriction }

  /// Connects, and reports it.
  mutating func open(_ output: inout Output) throws(Failure) {
    let deadline = Deadline.after(patience)
    do throws(HubError) {
      try link.open(until: deadline)
      _ = try link.connection?.request(.ping, deadline: deadline)
    } catch {
      link.connection = nil
      throw .hub(error)
    }
    link.succeed()
    if let welcome = link.welcome { try output.opened(welcome) }
  }

  /// Detects a lost connection, and reconnects when it is time.
  ///
  /// - Throws: errors that a retry cannot fix.
  mutating func advance(_ output: inout Output) throws(Failure) {
    do throws(HubError) {
      _ = try link.event()
    } catch {
      try lose(error, &output)
    }
    guard !link.isOpen, nextAttempt <= .now else { return }
    do throws(Failure) {
      try open(&output)
    } catch {
      guard case .hub(let problem) = error else { throw error }
      try link.lose(problem)
    }
  }

  /// Asks the hub. Without a connection it tries to get one first.
  mutating func ask(_ request: Request, _ output: inout Output) throws(Failure) -> Reply {
    if !link.isOpen { try open(&output) }
    return try ask(request)
  }

  private mutating func ask(_ request: Request) throws(Failure) -> Reply {
    do throws(HubError) {
      guard let reply = try link.connection?.request(request, deadline: .after(patience)) else {
        throw HubError(.connectionLost, "there is no connection")
      }
      return reply
    } catch {
      throw .hub(error)
    }
  }

  /// Restricts the connection, and each later one.
  mutating func restrict(to restriction: Restriction, _ output: inout Output) throws(Failure) {
    if !link.isOpen { try open(&output) }
    let deadline = Deadline.after(patience)
    try attempt { () throws(HubError) in try link.restrict(to: restriction, until: deadline) }
  }

  /// Executes writes; see `KeptValues` for those whose values end.
  mutating func write(
    _ operations: [WriteOperation], isOne: Bool, _ output: inout Output
  ) throws(Failure) -> Reply {
    if !link.isOpen { try open(&output) }
    return try KeptValues.protect(operations, with: &self) { connection, name throws(Failure) in
      try connection.ask(.describe(.name(name)))
    } send: { connection, operations throws(Failure) in
      try connection.ask(isOne ? .write(operations[0]) : .transaction(operations))
    }
  }

  /// A request has failed.
  mutating func failed(_ failure: Failure, _ output: inout Output) throws(Failure) {
    guard link.isOpen, case .hub(let error) = failure else { return }
    switch error.code {
    case .connectionLost, .timeout, .shuttingDown, .notReading, .protocolViolation, .closed:
      try lose(error, &output)
    default: break
    }
  }

  private mutating func lose(_ error: HubError, _ output: inout Output) throws(Failure) {
    link.reopen()
    try output.closed(error)
  }
}
