// A whole hub inside the program, for tests: the daemon's own engine, without a daemon, a thread or a clock.

public import HubClient
public import HubCore
internal import HubEngine
internal import HubTransport
internal import Synchronization

extension Hub {
  /// A Hub connected to its own hub in memory. Rules, events and errors are those of the daemon, because the code is
  /// the same.
  ///
  /// Everything happens on the caller's thread, within the call: when a write returns, every stream has its event.
  /// Nothing happens by itself, and time stands still until `memory.advance(by:)` is called.
  public static func inMemory() -> Hub { InMemoryHub().connect() }

  /// The hub in memory that this Hub is connected to, if it is one.
  public var memory: InMemoryHub? { (driver as? MemoryDriver)?.hub }
}

/// A hub in memory that several Hubs can connect to, each as if from its own process.
public final class InMemoryHub: Sendable {
  private struct State: ~Copyable {
    var engine: HubEngine
    var declarations: [(StoreName, Schema)] = []
    var now = Instant(wall: 0, boot: 0)
    /// The drivers that were not closed, connected or not.
    var drivers: [MemoryDriver] = []
    var sessions: [SessionID: MemoryDriver] = [:]
    var lastSession: Int32 = 0
    /// The numbers of sessions that were closed, the oldest first.
    var freeSessions: [Int32] = []
    /// What clients have sent and the engine has not seen; at most the requests that they are waiting for.
    var inbox: [(SessionID, [UInt8])] = []
    /// Broken connections whose clients have not been notified yet.
    var broken: [(SessionID, MemoryDriver)] = []
    /// Until `start`, no client can connect.
    var isStopped = false
    /// Whether a thread is moving bytes; it also moves those of other threads.
    var isPumping = false

    /// A number that no session has or recently had, because a client may not know yet that its session was closed.
    /// The engine's tables are as long as the highest number.
    mutating func newSession() -> SessionID {
      if freeSessions.count > 64 { return SessionID(raw: freeSessions.removeFirst()) }
      lastSession += 1
      return SessionID(raw: lastSession)
    }
  }

  private let options: HubEngine.Options
  private let state: Mutex<State>

  /// - Parameter requiresDeclaration: setting a missing store fails with `undeclared` instead of creating it.
  public init(requiresDeclaration: Bool = false) {
    var options = HubEngine.Options()
    options.requiresDeclaration = requiresDeclaration
    options.release = "in memory"
    self.options = options
    state = Mutex(State(engine: HubEngine(options: options)))
  }

  /// Makes another client, which connects on first use.
  ///
  /// - Parameter timeout: how long its requests wait, in the hub's own time.
  public func connect(name: String = "test", timeout: Duration = .seconds(5)) -> Hub {
    Hub(driver: makeDriver(name: name), timeout: timeout)
  }

  func makeDriver(name: String) -> MemoryDriver {
    let driver = MemoryDriver(hub: self, name: name)
    state.withLock { $0.drivers.append(driver) }
    return driver
  }

  /// Declares stores as a daemon's configuration does: all or none of them.
  ///
  /// - Throws: `invalidName`, `reserved`, `invalidSchema`.
  public func declare(_ schemas: [String: Schema]) throws(HubError) {
    var declarations: [(StoreName, Schema)] = []
    for (name, schema) in schemas.sorted(by: { $0.key < $1.key }) {
      declarations.append((try StoreName(name), schema))
    }
    try state.withLock { [declarations] state throws(HubError) in
      _ = try state.engine.declare(state.declarations + declarations, now: state.now)
      state.declarations += declarations
    }
    pump()
  }

  // MARK: Time and misfortune

  /// Advances the time: values expire, requests time out, lost connections are restored.
  public func advance(by duration: Duration) {
    let drivers = state.withLock { state in
      state.now.boot += duration.wholeNanoseconds
      state.now.wall += Int64(clamping: duration.wholeNanoseconds)
      return state.drivers
    }
    pump()
    for driver in drivers { driver.tick() }
    pump()
  }

  /// Breaks every connection, as if the daemon had exited. The clients reconnect as time advances.
  ///
  /// - Parameter keepingState: see `start`.
  public func restart(keepingState: Bool) {
    stop()
    start(keepingState: keepingState)
  }

  /// Breaks every connection and accepts no new one, as if the daemon were not running, until `start`.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      for (session, driver) in state.sessions {
        state.engine.close(session, in: state.engine.openTurn(), now: state.now)
        state.broken.append((session, driver))
        state.freeSessions.append(session.raw)
      }
      state.sessions = [:]
      state.inbox = []
    }
    pump()
  }

  /// Accepts connections again: the clients reconnect as time advances.
  ///
  /// - Parameter keepingState: if false, another daemon replaces it, which has only the declared stores, in a new
  ///   epoch.
  public func start(keepingState: Bool) {
    state.withLock { state in
      state.isStopped = false
      guard !keepingState else { return }
      state.engine = HubEngine(options: options)
      // They were accepted before.
      _ = try! state.engine.declare(state.declarations, now: state.now)
    }
  }

  // MARK: For the drivers

  var now: Deadline { state.withLock { Deadline(nanoseconds: $0.now.boot) } }

  func open(_ driver: MemoryDriver) throws(HubError) -> SessionID {
    try state.withLock { state throws(HubError) in
      if state.isStopped { throw HubError(.noHub, "the hub in memory was stopped") }
      let session = state.newSession()
      state.engine.open(session, peer: Peer(pid: 0, uid: 0, gid: 0), now: state.now)
      state.sessions[session] = driver
      return session
    }
  }

  func close(_ session: SessionID) {
    state.withLock { state in
      if state.sessions.removeValue(forKey: session) != nil {
        state.engine.close(session, in: state.engine.openTurn(), now: state.now)
        state.inbox.removeAll { $0.0 == session }
        state.freeSessions.append(session.raw)
      }
    }
  }

  func forget(_ driver: MemoryDriver) {
    state.withLock { $0.drivers.removeAll { $0 === driver } }
  }

  func submit(_ bytes: [UInt8], from session: SessionID) {
    state.withLock { $0.inbox.append((session, bytes)) }
  }

  // MARK: Carrying bytes

  private enum Delivery {
    case bytes([UInt8], SessionID, MemoryDriver)
    case end(SessionID, MemoryDriver)
  }

  /// Moves bytes until there are none.
  func pump() {
    let isFirst = state.withLock { state in
      defer { state.isPumping = true }
      return !state.isPumping
    }
    guard isFirst else { return }
    while true {
      let deliveries = state.withLock { state in
        let deliveries = InMemoryHub.turn(&state)
        if deliveries.isEmpty, state.inbox.isEmpty, !state.engine.hasWork { state.isPumping = false }
        return state.isPumping ? deliveries : nil
      }
      guard let deliveries else { return }
      for delivery in deliveries {
        switch delivery {
        case .bytes(let bytes, let session, let driver): driver.deliver(bytes, on: session)
        case .end(let session, let driver): driver.disconnect(session)
        }
      }
    }
  }

  /// One turn of the engine.
  private static func turn(_ state: inout State) -> [Delivery] {
    var deliveries: [Delivery] = state.broken.map { .end($0.0, $0.1) }
    state.broken = []
    var replies = OutputBuffer()
    let turn = state.engine.openTurn()
    for (session, bytes) in state.inbox {
      guard let driver = state.sessions[session] else { continue }
      replies.clear()
      bytes.withByteView { bytes in
        var frames = FrameCursor(bytes)
        while let frame = frames.next() {
          _ = state.engine.receive(frame, from: session, in: turn, now: state.now, into: &replies)
        }
      }
      deliveries.append(.bytes(replies.array, session, driver))
    }
    state.inbox = []
    state.engine.expire(in: turn, now: state.now)
    state.engine.deal(now: state.now)
    while let message = state.engine.nextMessage() {
      guard let driver = state.sessions[message.session] else { continue }
      deliveries.append(.bytes(message.bytes.array, message.session, driver))
    }
    let sealed = state.engine.seal(turn)
    while let session = state.engine.nextDue(in: sealed) {
      guard let driver = state.sessions[session] else { continue }
      while true {
        let due = state.engine.due(for: session, in: sealed).array
        _ = state.engine.sent(due.count, to: session, in: sealed)
        if due.isEmpty { break }
        deliveries.append(.bytes(due, session, driver))
      }
    }
    state.engine.end(sealed)
    return deliveries
  }
}
