// A Hub on an event loop of SwiftNIO: no thread of its own. How its bytes are carried is the `Carrier`'s business.

public import HubClient
public import NIOCore

/// A Hub whose work an event loop of SwiftNIO does: its connection is a channel of the loop, and its tasks run there.
///
///     let nio = NIOHub(on: eventLoop)
///     let volume = nio.hub.value("audio.volume", of: Int.self)
///     Task(executorPreference: nio.hub.executor) {
///       for try await value in volume.values { show(value) }  // on the loop's thread
///     }
///
/// Everything of a `Hub` works as ever: reconnects, resumed streams, time-outs. No thread is started. Tasks that prefer
/// `hub.executor` run on the loop's thread, and only there, so that they may touch what belongs to the loop; they must not block
/// it. Other tasks run on Swift's pool. While the loop is busy, nothing arrives: requests fail and streams end late, not wrongly.
///
/// Any thread may use it. Released, it closes its Hub and the channel; `close` also says when that is done. That has to be before
/// the loop is shut down. Claims (`hub.provide`, `hub.claim`) share a connection, and a thread, of their own.
public final class NIOHub: Sendable {
  /// The Hub, to be used as any other.
  public let hub: Hub
  /// The loop that does its work.
  public let eventLoop: any EventLoop
  private let carrier: Carrier

  /// Nothing is connected before the first use.
  ///
  /// - Parameters:
  ///   - path: looked up now, once: reconnects go to the same socket.
  ///   - eventLoop: one of a `MultiThreadedEventLoopGroup`.
  ///   - name: what the hub shows about this client, up to 60 bytes; by default the program's name.
  ///   - timeout: how long a request waits for its answer.
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
  /// - Returns: when the loop has nothing to do for the Hub any more: it can be shut down.
  @discardableResult
  public func close() -> EventLoopFuture<Void> {
    hub.close()
    return eventLoop.flatSubmit { [carrier] in carrier.finish() }
  }
}
