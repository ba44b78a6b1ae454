// A Hub for a program whose event loop owns every socket: it has no thread and no descriptor. The program carries the
// bytes.

public import HubCore
internal import HubSystem
public import HubTransport

/// A Hub whose bytes are sent and received by the program: for an event loop that watches only its own sockets, as SwiftNIO's does.
///
/// The program connects to the hub's socket when asked to, passes in what it receives, sends what it is given, and
/// calls `process` when the bell rings and when the deadline has passed. The Hub keeps all its features: reconnects,
/// resumed streams, time-outs. Tasks that prefer `hub.executor` run within `process`, on the loop's thread, and only
/// there.
///
///     let carried = CarriedHub { loop.enqueue { turn() } }
///     func turn() {
///       while true {
///         let turn = carried.process()
///         switch turn.action {
///         case .connect: connect(to: carried.path)  // report the result with `connected` or `connectFailed`, then `turn()`
///         case .disconnect: disconnect()  // at once; ignore anything else from that connection
///         case .none: return send(until: turn.deadline)
///         }
///       }
///     }
///     func send(until deadline: Hub.Instant) {
///       // Keep what the socket does not take, and send it first when the socket takes more.
///       while socket.isWritable, let bytes = carried.takeOutput() { socket.send(bytes) }
///       setAlarm(at: deadline) { turn() }
///     }
///
/// `HubNIO`, in the package `Integrations`, does this for SwiftNIO. Where a loop can watch a descriptor, `PolledHub` needs less.
///
/// Call its methods from one thread at a time, the loop's. Other threads may use the `hub`. When released, it closes
/// its Hub; the program closes the connection.
public final class CarriedHub: Sendable {
  /// What the program must do with the connection.
  public enum Action: Hashable, Sendable {
    /// Nothing.
    case none
    /// Connect to the hub's socket, and report the result. There is no time limit: no other `connect` is
    /// given before that.
    case connect
    /// Close the connection, if it is still open. It already counts as closed: do not report it.
    case disconnect
  }

  /// What the program must do after `process`.
  public struct Turn: Hashable, Sendable {
    /// Carry it out. If it is not `none`, then call `process` again.
    public let action: Action
    /// When to call `process` at the latest, unless the bell rings earlier; `Hub.Instant.never`: no deadline.
    public let deadline: Hub.Instant
  }

  /// The Hub. Use it like any other.
  public let hub: Hub
  /// The path of the hub's socket.
  public let path: String
  private let driver: CarriedDriver

  /// - Parameters:
  ///   - path: resolved once, now. Claims (`hub.provide`, `hub.claim`) share a separate connection with its own thread.
  ///   - name: what the hub shows about this client, up to 60 bytes; by default the program's name.
  ///   - timeout: how long a request waits for its answer.
  ///   - wake: the bell: call `process` soon. It may be called on any thread, even at the end of `process`, and is not
  ///     called again until `process` has run; it must neither call `process` itself nor block.
  public init(
    _ path: SocketPath = .automatic, name: String? = nil, timeout: Duration = .seconds(5),
    wake: @escaping @Sendable () -> Void
  ) {
    self.path = path.resolved
    driver = CarriedDriver(path: self.path, name: name ?? Hub.programName, wake: wake)
    hub = Hub(driver: driver, timeout: timeout)
  }

  /// Tasks that still prefer the executor finish on Swift's pool.
  deinit { driver.leave() }

  /// Does all pending work and runs tasks, without waiting. Call it when the bell has rung, when the deadline has passed,
  /// after an action other than `none`, and after every report with the methods below; extra calls are harmless.
  ///
  /// It continues while tasks that prefer the executor are ready, for at most a few rounds.
  public func process() -> Turn {
    isForked ? Turn(action: .none, deadline: .never) : driver.process()
  }

  /// In a child of the process that made it, nothing is carried.
  private var isForked: Bool { generation != Fork.generation }
  private let generation = Fork.generation

  /// The connection is established. Then call `process`.
  public func connected() { driver.connected() }

  /// There is no connection. Then call `process`.
  ///
  /// - Parameter errno: the error of connect(2). Requests that time out fail with its meaning: `noHub`, or `denied`.
  public func connectFailed(errno: Int32) {
    driver.connectFailed(HubSocket.error(SystemError(errno), path))
  }

  /// There is no connection, and no `errno` gives the reason: call `process`.
  ///
  /// - Parameter error: the reason, usually `noHub`. Requests that time out fail with it.
  public func connectFailed(_ error: HubError) { driver.connectFailed(error) }

  /// The connection was closed or lost. Then call `process`.
  ///
  /// - Parameter error: why.
  public func disconnected(
    _ error: HubError = HubError(.connectionLost, "the hub closed the connection")
  ) { driver.disconnected(error) }

  /// Passes in received bytes, in pieces of any size. Then call `process`, once for all available pieces. Streams have
  /// their events when it returns.
  public func received(_ bytes: UnsafeRawBufferPointer) { driver.received(bytes) }

  /// The next bytes to send, in order; nil if there are none. What was taken counts as sent: after a reconnect its
  /// outcome is unknown, while the rest is simply sent. So take no more than the connection will soon accept.
  ///
  /// - Parameter limit: the maximum, in bytes.
  public func takeOutput(atMost limit: Int = 1 << 16) -> [UInt8]? {
    if isForked { return nil }
    let bytes = driver.takeOutput(atMost: limit)
    return bytes.isEmpty ? nil : bytes
  }
}
