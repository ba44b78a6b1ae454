// A Hub for a program that has an event loop: no thread, but a descriptor to poll. The loop is the program's.

internal import HubSystem
public import HubTransport

/// A Hub without a thread of its own: the program's event loop (epoll, GLib, libuv …) polls its descriptor and calls
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
/// Everything of a `Hub` works as ever: reconnects, resumed streams, time-outs. Tasks that prefer `hub.executor` run within
/// `process`, on the loop's thread, and only there: such a program needs no locks, and no thread is ever started. Tasks that
/// do not prefer it run on Swift's pool. Other threads may use the `hub`: that makes the descriptor readable.
///
/// It belongs to one thread, that of the loop. While the loop does not call `process`, nothing arrives: requests fail and streams
/// end late, not wrongly. Released, it closes its Hub.
public final class PolledHub {
  /// The Hub, to be used as any other.
  public let hub: Hub
  private let driver: SocketDriver
  private var pass = SocketDriver.Pass()
  /// When `process` has to be called, if the descriptor does not become readable before: with `Hub.Instant.never`, not at all.
  public private(set) var deadline = Hub.Instant.now

  /// - Parameters: as those of `Hub.init`.
  /// - Throws: `noHub` if the process has no descriptors left.
  public init(
    _ path: SocketPath = .automatic, name: String? = nil, timeout: Duration = .seconds(5)
  ) throws(HubError) {
    driver = try SocketDriver(polledAt: path.resolved, name: name ?? Hub.programName)
    hub = Hub(driver: driver, timeout: timeout)
  }

  /// Tasks that still prefer the executor come to their end on a thread that ends with them.
  deinit { driver.leave() }

  /// To be watched for reading, level-triggered. It is the same one as long as this object lives, also while there is no hub.
  /// It is only to be polled.
  public var descriptor: Int32 { driver.descriptor }

  /// What is left until `deadline`, as poll(2) and epoll_wait(2) take it: milliseconds, rounded up; -1: indefinitely.
  public var timeout: Int32 { deadline.pollTimeout() }

  /// Reads, writes, connects and runs tasks, as far as possible without waiting. To be called when the descriptor is readable
  /// and when the deadline has passed; it does no harm at any other time.
  ///
  /// It runs for as long as tasks that prefer the executor do, but not for more than a few rounds of theirs.
  public func process() { deadline = generation == Fork.generation ? driver.process(&pass) : .never }

  private let generation = Fork.generation
}
