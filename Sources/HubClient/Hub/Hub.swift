// A program's access to a hub: it connects when it has to, and again when it must. The rules are `ClientCore`'s.

internal import HubCore
internal import HubSystem
public import HubTransport
internal import Synchronization

/// A hub, as a program uses it: an actor-free, `Sendable` handle that any number of tasks share.
///
///     let hub = Hub()
///     let volume = hub.value("audio.volume", of: Double.self)
///     try await volume.set(0.4)
///     for try await value in volume.values { print(value) }
///
/// Nothing is connected before the first use. When the connection is lost, it is made again: the first attempt within
/// 100 ms, then at most 1 s apart for 10 s, then at most 5 s. Streams outlive that: every watch continues where it was,
/// and its events say what was skipped. Requests that were not sent, and those that can be repeated without doing
/// anything twice (reads and conditional writes), wait for the new connection; the others fail with `outcomeUnknown`.
/// No request waits forever: it fails after `timeout`, with `timeout` or with why there is no connection (`noHub`,
/// `denied`).
///
/// When a write has returned, every stream and every cached read of this Hub is at or past it. (If the connection is
/// lost meanwhile, the write waits for its streams to catch up, at most for `timeout`.)
///
/// Any thread may use it. A child of a fork cannot: there every request fails with `closed`, every stream ends with that, and the
/// parent's connection is not concerned; what is ephemeral ends with the parent. The child makes a Hub of its own.
///
/// One thread per Hub reads, connects and keeps the time: its own, or your event loop's with a `PolledHub`. It runs no code
/// of yours, except for tasks that ask for it by `executorPreference`: see `executor`. A Hub that is released closes itself.
public final class Hub: Sendable {
  /// In a child of a fork one whose every request fails: the driver's locks may be held by threads that are not there.
  package var driver: any HubDriver { generation == Fork.generation ? own : EndedDriver.ofParent }
  private let own: any HubDriver
  private let generation = Fork.generation
  /// How long a request waits for its answer.
  public let timeout: Duration
  private let timeoutNanoseconds: UInt64

  /// - Parameters:
  ///   - path: looked up now, once: reconnects go to the same socket.
  ///   - name: what the hub shows about this client, up to 60 bytes; by default the program's name.
  ///   - timeout: how long a request waits for its answer.
  public convenience init(
    _ path: SocketPath = .automatic, name: String? = nil, timeout: Duration = .seconds(5)
  ) {
    self.init(driver: SocketDriver(path: path.resolved, name: name ?? Hub.programName), timeout: timeout)
  }

  package init(driver: any HubDriver, timeout: Duration) {
    own = driver
    self.timeout = timeout
    timeoutNanoseconds = timeout.wholeNanoseconds
  }

  /// A Hub whose every request fails with that error.
  package static func ended(_ error: HubError) -> Hub { Hub(driver: EndedDriver(error), timeout: .zero) }

  deinit { driver.close() }

  /// Ends every stream and fails every request with `closed`, also those of its claims. The hub ends what was ephemeral.
  public func close() {
    driver.close()
    publisher.withLock { $0.hub }?.close()
    for filtered in filtered.withLock({ $0.values.compactMap(\.hub) }) { filtered.close() }
  }

  /// The Hub of everything that this one claims, kept by these claims: what is written through it is published.
  var publishing: Hub {
    publisher.withLock { publisher in
      if let hub = publisher.hub, hub.status != .closed { return hub }
      let hub = Hub(driver: driver.sibling(), timeout: timeout)
      if status == .closed { hub.close() }
      publisher.hub = hub
      return hub
    }
  }

  /// The Hub of all watches with that filter: the hub filters a connection's events, all of them alike. It is closed when the last
  /// stream that uses it is gone.
  func filtered(by filter: WatchFilter) -> Hub {
    filtered.withLock { hubs in
      if let hub = hubs[filter]?.hub, hub.status != .closed { return hub }
      hubs = hubs.filter { $0.value.hub != nil }
      let hub = Hub(driver: driver.sibling(), timeout: timeout)
      hub.driver.withCore { core, _ in core.filter = filter }
      if status == .closed { hub.close() }
      hubs[filter] = Sibling(hub: hub)
      return hub
    }
  }

  private struct Sibling {
    weak var hub: Hub?
  }

  private let publisher = Mutex(Sibling())
  private let filtered = Mutex<[WatchFilter: Sibling]>([:])

  /// The Hub's own thread. A task that prefers it gets its events without a thread switch, in about half the time and with
  /// half the processor time:
  ///
  ///     Task(executorPreference: hub.executor) {
  ///       for try await value in volume.values { … }
  ///     }
  ///
  /// Such a task must never block: while it runs, the Hub reads nothing. Nil for a hub in memory, which has no thread.
  public var executor: (any TaskExecutor)? { driver as? any TaskExecutor }

  /// The hub is in this process: nothing happens in it by itself.
  package var isInProcess: Bool { driver.isInProcess }

  static var programName: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "unnamed"
  }

  /// When a call that begins now has waited long enough, however many requests it makes.
  var limit: Deadline { driver.now.advanced(by: timeoutNanoseconds) }

  /// Sends a request.
  func send(_ request: Request, until limit: Deadline? = nil) -> SentRequest {
    SentRequest(request, driver, until: limit ?? self.limit)
  }

  /// Sends a request and waits for its answer.
  func perform(_ request: Request, until limit: Deadline? = nil) async throws(HubError) -> Answer {
    let sent = send(request, until: limit)
    await sent.wait()
    return try sent.answer()
  }

  /// The answer was of another kind than the request asks for.
  static func unexpected(_ answer: Answer) -> HubError { SentRequest.unexpected }
}
