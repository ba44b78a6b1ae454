// A program's access to a hub: it connects and reconnects when needed. The rules are in `ClientCore`.

internal import HubCore
internal import HubSystem
public import HubTransport
internal import Synchronization

/// A program's connection to a hub: a `Sendable` handle, not bound to an actor, that any number of tasks share.
///
///     let hub = Hub()
///     let volume = hub.value("audio.volume", of: Double.self)
///     try await volume.set(0.4)
///     for try await value in volume.values { print(value) }
///
/// A Hub connects on first use. When the connection is lost, it reconnects: the first attempt within 100 ms, then at
/// most 1 s apart for 10 s, then at most 5 s apart. Streams survive that: every watch continues where it was, and its
/// events report what was skipped. Requests that were not sent, and those that are safe to repeat (reads, and writes
/// conditional on a revision), wait for the new connection; the others fail with `outcomeUnknown`.
/// No request waits forever: after `timeout` it fails with `timeout`, or with the reason for the missing connection
/// (`noHub`, `denied`).
///
/// When a write has returned, every stream and every cached read of this Hub is at or past it. (If the connection is
/// lost in the meantime, the write waits at most `timeout` for its streams to catch up.)
///
/// Any thread may use it. A child of a fork cannot: there every request fails with `closed`, every stream ends with it,
/// and the parent's connection is unaffected; ephemeral values end with the parent. The child must make its own Hub.
///
/// One thread per Hub reads, connects and keeps time: its own, or your event loop's with a `PolledHub`. It runs none
/// of your code except tasks that prefer its `executor`. A Hub closes itself when it is released.
public final class Hub: Sendable {
  /// In a forked child, a driver that fails every request, because the driver's locks may be held by threads that do
  /// not exist there.
  package var driver: any HubDriver { generation == Fork.generation ? own : EndedDriver.ofParent }
  private let own: any HubDriver
  private let generation = Fork.generation
  /// How long a request waits for its answer.
  public let timeout: Duration
  private let timeoutNanoseconds: UInt64
  private let observer: RequestObserver?

  /// - Parameters:
  ///   - path: resolved once, now: reconnects use the same socket.
  ///   - name: what the hub shows about this client, up to 60 bytes; by default the program's name.
  ///   - timeout: how long a request waits for its answer.
  ///   - observer: sees each request begin and end.
  public convenience init(
    _ path: SocketPath = .automatic, name: String? = nil, timeout: Duration = .seconds(5),
    observer: RequestObserver? = nil
  ) {
    self.init(
      driver: SocketDriver(path: path.resolved, name: name ?? Hub.programName), timeout: timeout,
      observer: observer)
  }

  package init(driver: any HubDriver, timeout: Duration, observer: RequestObserver? = nil) {
    own = driver
    self.timeout = timeout
    self.observer = observer
    timeoutNanoseconds = timeout.wholeNanoseconds
  }

  /// A Hub that fails every request with that error.
  package static func ended(_ error: HubError) -> Hub { Hub(driver: EndedDriver(error), timeout: .zero) }

  deinit { driver.close() }

  /// Ends every stream and fails every request with `closed`, including those of its claims. The hub withdraws its
  /// ephemeral values.
  public func close() {
    driver.close()
    for hub in siblings { hub.close() }
  }

  /// The Hub of all claims made with this one, which keep it alive: what is written through it is published.
  var publishing: Hub { sibling(filter: nil) }

  /// The Hub of all watches with that filter: the hub applies one filter to all events of a connection. It is closed
  /// when the last stream that uses it is gone.
  func filtered(by filter: WatchFilter) -> Hub { sibling(filter: filter) }

  private func sibling(filter: WatchFilter?) -> Hub {
    known.withLock { known in
      if let hub = known[filter]?.hub, hub.status != .closed { return hub }
      known = known.filter { $0.value.hub != nil }
      let hub = Hub(driver: driver.sibling(), timeout: timeout, observer: observer)
      let restriction = driver.withCore { core, _ in core.restriction }
      hub.driver.withCore { core, _ in
        core.filter = filter
        if let restriction { core.restrict(to: restriction) }
      }
      if status == .closed { hub.close() }
      known[filter] = Sibling(hub: hub)
      return hub
    }
  }

  /// The Hubs whose connections exist because of this one.
  var siblings: [Hub] { known.withLock { $0.values.compactMap(\.hub) } }

  private struct Sibling {
    weak var hub: Hub?
  }

  /// By their filter; that of the claims has none.
  private let known = Mutex<[WatchFilter?: Sibling]>([:])

  /// The Hub's own thread. A task that prefers it gets its events without a thread switch, in about half the time and with
  /// half the processor time:
  ///
  ///     Task(executorPreference: hub.executor) {
  ///       for try await value in volume.values { … }
  ///     }
  ///
  /// Such a task must never block: while it runs, the Hub reads nothing. It is nil for a hub in memory, which has no
  /// thread.
  public var executor: (any TaskExecutor)? { driver as? any TaskExecutor }

  /// The hub is in this process, and acts only when it is called.
  package var isInProcess: Bool { driver.isInProcess }

  static var programName: String {
    let path = CurrentProcess.argument(0).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "unnamed"
  }

  /// The deadline of a call that starts now, whatever the number of its requests.
  var limit: Deadline { driver.now.advanced(by: timeoutNanoseconds) }

  /// Sends a request.
  func send(_ request: Request, until limit: Deadline? = nil) -> SentRequest {
    SentRequest(request, driver, until: limit ?? self.limit, observer)
  }

  /// Sends a request and waits for its answer.
  func perform(_ request: Request, until limit: Deadline? = nil) async throws(HubError) -> Answer {
    let sent = send(request, until: limit)
    await sent.wait()
    return try sent.answer()
  }

  /// The reply does not match the request.
  static func unexpected(_ answer: Answer) -> HubError { SentRequest.unexpected }
}
