// Whether a Hub is connected, since when, and why not, as a value and as a stream. It does not connect.

public import HubTransport

/// Whether a `Hub` has a connection to its hub.
///
/// Times are points on the monotonic clock; those of a hub in memory are on its own clock.
public enum HubStatus: Hashable, Sendable {
  /// No connection has been needed yet.
  case idle
  /// The first connection is being made.
  case connecting(since: Hub.Instant)
  /// The hub answers.
  case connected(since: Hub.Instant)
  /// There is no connection. While one is needed, the Hub keeps trying.
  ///
  /// - Parameters:
  ///   - since: when the connection was lost or, if there was none before, when the first was tried.
  ///   - error: why the last attempt failed; before the first attempt, why the connection was lost.
  case unreachable(since: Hub.Instant, HubError)
  /// The Hub was closed, permanently.
  case closed

  /// When the status began; nil if idle or closed.
  public var since: Hub.Instant? {
    switch self {
    case .connecting(let since), .connected(let since), .unreachable(let since, _): since
    case .idle, .closed: nil
    }
  }

  /// The hub answers.
  public var isConnected: Bool { if case .connected = self { true } else { false } }

  /// Why the hub cannot be reached; nil if it can be, or nothing is known yet.
  public var error: HubError? { if case .unreachable(_, let error) = self { error } else { nil } }

  /// When a connection was first wanted, or was lost.
  var awaySince: Hub.Instant? { isConnected ? nil : since }
}

extension HubStatus: CustomStringConvertible {
  /// For people: `unreachable: …`.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .connecting: "connecting"
    case .connected: "connected"
    case .unreachable(_, let error): "unreachable: \(error)"
    case .closed: "closed"
    }
  }
}

extension Hub {
  /// Whether the hub is connected, and since when. It takes a lock, but neither sends nor connects.
  public var status: HubStatus { driver.withCore { core, _ in core.status } }

  /// The current status, then each newer one; a slow iteration gets only the newest.
  ///
  /// While it is iterated the Hub keeps a connection, or tries to make one. The iteration ends after `closed`, or when its
  /// task is cancelled.
  public var statuses: HubStatusSequence { HubStatusSequence(hub: self) }

  /// The current time on the clock of `status`: the monotonic clock, or that of a hub in memory.
  public var now: Hub.Instant { driver.now }
}

/// The current and all future statuses of a `Hub`.
public struct HubStatusSequence: AsyncSequence, Sendable {
  public typealias Element = HubStatus
  public typealias Failure = Never

  let hub: Hub

  /// Registers immediately: a later status is skipped only if there is a newer one.
  public func makeAsyncIterator() -> Iterator { Iterator(handle: StatusHandle(hub)) }

  /// For one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let handle: StatusHandle

    /// Like `next(isolation:)`, on the caller's actor.
    public mutating func next() async -> HubStatus? { await next(isolation: #isolation) }

    /// The next status; nil after `closed`, or once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> HubStatus? {
      await handle.next(isolation: actor)
    }
  }
}
