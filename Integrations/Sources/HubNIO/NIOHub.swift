// A Hub on an event loop of SwiftNIO, without a thread of its own. `Carrier` moves its bytes.

public import HubClient
import HubLifecycle
public import NIOCore
public import ServiceLifecycle

/// A Hub whose work an event loop of SwiftNIO does: its connection is a channel of the loop, and its tasks run there.
///
///     let nio = NIOHub(on: eventLoop)
///     let volume = nio.hub.value("audio.volume", of: Int.self)
///     Task(executorPreference: nio.hub.executor) {
///       for try await value in volume.values { show(value) }  // on the loop's thread
///     }
///
/// It works like any other `Hub`, including reconnects, resumed streams and time limits. No thread is started. Tasks that prefer
/// `hub.executor` run only on the loop's thread, so they can use the loop's state; they must not block. Other tasks run on
/// Swift's pool. While the loop is busy, nothing arrives: requests fail late and streams end late.
///
/// Any thread may use it. When it is released, it closes its Hub and the channel; `close` also reports when that is done, and as a
/// service it closes them when its group shuts down. Close it before the loop is shut down. Claims (`hub.provide`, `hub.claim`) share a connection, and a thread, of their own.
public final class NIOHub: Sendable {
  /// The Hub.
  public let hub: Hub
  /// The loop that does its work.
  public let eventLoop: any EventLoop
  private let carrier: Carrier

  /// It connects with its first use.
  ///
  /// - Parameters:
  ///   - path: resolved once, now: reconnects go to the same socket.
  ///   - eventLoop: one of a `MultiThreadedEventLoopGroup`.
  ///   - name: this client's name in the hub, at most 60 bytes; by default the program's name.
  ///   - timeout: how long a request may take.
  public init(
    _ path: SocketPath = .automatic, on eventLoop: any EventLoop, name: String? = nil,
    timeout: Duration = .seconds(5)
  ) {
    let bell = Bell(eventLoop)
    let carried = CarriedHub(path, name: name, timeout: timeout) { bell.ring() }
    hub = carried.hub
    self.eventLoop = eventLoop
    carrier = Carrier(carried, on: eventLoop)
    bell.connect(carrier)
  }

  deinit {
    if carrier.isFinished { return }
    eventLoop.execute { [carrier] in carrier.finish() }
  }

  /// Ends every stream, fails every request with `closed`, and closes the channel.
  ///
  /// - Returns: succeeds once the loop has no more work for the Hub and can be shut down.
  @discardableResult
  public func close() -> EventLoopFuture<Void> {
    hub.close()
    return eventLoop.flatSubmit { [carrier] in carrier.finish() }
  }
}

extension NIOHub: Service {
  /// Keeps the Hub connected until the group shuts down or the task is cancelled, and closes it. The loop can be shut down then.
  ///
  /// - Throws: as `Hub.run`.
  public func run() async throws {
    do {
      try await hub.run()
    } catch {
      try await close().get()
      throw error
    }
    try await close().get()
  }
}
