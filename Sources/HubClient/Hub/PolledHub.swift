// A Hub for a program with its own event loop: it has no thread, but a descriptor to poll.

internal import HubSystem
public import HubTransport

/// A Hub without its own thread: the program's event loop (epoll, GLib, libuv …) polls its descriptor and calls
/// `process`.
///
///     let polled = try PolledHub()
///     let volume = polled.hub.value("audio.volume", of: Int.self)
///     Task(executorPreference: polled.hub.executor) {
///       for try await value in volume.values { show(value) }
///     }
///     while true {
///       epoll_wait(loop, &events, count, polled.timeout)  // `loop` watches polled.descriptor for reading
///       polled.process()
///     }
///
/// The Hub keeps all its features: reconnects, resumed streams, time-outs. Tasks that prefer `hub.executor` run
/// within `process`, on the loop's thread, and only there: such a program needs no locks, and no thread is ever
/// started. Tasks that do not prefer it run on Swift's pool. Other threads may use the `hub`: that makes the descriptor
/// readable.
///
/// Use it from one thread, the loop's. While the loop does not call `process`, nothing arrives: requests fail and
/// streams end late, but correctly. When released, it closes its Hub.
public final class PolledHub {
  /// The Hub. Use it like any other.
  public let hub: Hub
  private let driver: SocketDriver
  private var pass = SocketDriver.Pass()
  /// When to call `process` at the latest, unless the descriptor becomes readable earlier; `Hub.Instant.never`: no
  /// deadline.
  public private(set) var deadline = Hub.Instant.now

  /// - Parameters: those of `Hub.init`.
  /// - Throws: `noHub` if the process has no descriptors left.
  public init(
    _ path: SocketPath = .automatic, name: String? = nil, timeout: Duration = .seconds(5)
  ) throws(HubError) {
    driver = try SocketDriver(polledAt: path.resolved, name: name ?? Hub.programName)
    hub = Hub(driver: driver, timeout: timeout)
  }

  /// Tasks that still prefer the executor finish on a thread that ends with them.
  deinit { driver.leave() }

  /// Watch it for reading, level-triggered. It stays the same for the lifetime of this object, even without a hub.
  /// Only poll it; do not read it.
  public var descriptor: Int32 { driver.descriptor }

  /// The time until `deadline`, for poll(2) and epoll_wait(2): milliseconds, rounded up; -1: indefinitely.
  public var timeout: Int32 { deadline.pollTimeout() }

  /// Reads, writes, connects and runs tasks, without waiting. Call it when the descriptor is readable and when the
  /// deadline has passed; extra calls are harmless.
  ///
  /// It continues while tasks that prefer the executor are ready, for at most a few rounds.
  public func process() { deadline = generation == Fork.generation ? driver.process(&pass) : .never }

  private let generation = Fork.generation
}
