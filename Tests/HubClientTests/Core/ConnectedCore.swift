// The client's core on connections whose other side is the test.

import HubCore
import HubTransport
import Testing

@testable import HubClient

final class ConnectedCore {
  var core = ClientCore(name: "test", seed: 1)
  var effects = Effects()
  var now = Deadline(nanoseconds: 1_000_000_000)

  private static let epoch = Epoch(high: 1, low: 1)

  func connect(maximumFrameLength: UInt32 = 1 << 20) {
    core.connected(now: now, &effects)
    let hello = requests().first { $0.kind == .request(.hello) }
    receive(
      .reply(
        hello?.id ?? 0,
        .welcome(
          Welcome(
            version: 1, capabilities: 0, epoch: ConnectedCore.epoch, revision: 9,
            maximumFrameLength: maximumFrameLength,
            pid: 1, release: "1"))))
  }

  var wantsConnection: Bool { core.wantsConnection }

  func lose() {
    core.lost(HubError(.connectionLost, "lost"), now: now, &effects)
    effects.run()
  }

  /// What the socket has not taken, in order.
  func requests() -> [(kind: Frame.Kind?, id: UInt32)] {
    var found: [(Frame.Kind?, UInt32)] = []
    var cursor = FrameCursor(core.unsent)
    while let frame = cursor.next() { found.append((frame.kind, frame.request)) }
    return found
  }

  /// The socket takes everything.
  func sendAll() { core.didSend(core.unsent.count) }

  func receive(_ message: HubMessage) {
    #expect(core.receive(message, now: now, &effects) == nil)
    effects.run()
  }

  /// Sends a request, whose caller waits until a deadline.
  @discardableResult
  func begin(_ request: Request, until deadline: Deadline = .never) -> (call: Call, id: UInt32) {
    let call = Call()
    let id = core.begin(request, call, deadline: deadline, &effects)
    effects.run()
    return (call, id)
  }

  /// Opens a stream; `confirm` answers its watch.
  func open(_ pattern: String, _ policy: StreamPolicy = .latest()) throws -> EventStream {
    open([try NamePattern(pattern)], policy)
  }

  func open(_ patterns: [NamePattern], _ policy: StreamPolicy = .latest()) -> EventStream {
    let key = WatchKey(patterns)
    let stream = EventStream(key: key, policy: policy, content: .events)
    core.open(stream, &effects)
    return stream
  }

  func confirm(_ stream: EventStream) throws {
    receive(.reply(try #require(core.subscriptions[stream.key]?.watch), .watching(revision: 9)))
  }

  func current(_ store: UInt64, _ name: String, _ revision: Revision) {
    receive(.event(.current(name: name, state(store, revision))))
  }

  func change(_ store: UInt64, _ revision: Revision) {
    receive(.event(.change(state(store, revision), grouped: false, more: false)))
  }

  func synced(_ revision: Revision) { receive(.event(.synced(revision: revision))) }

  private func state(_ store: UInt64, _ revision: Revision) -> StoreState {
    StoreState(
      id: StoreID(raw: store), revision: revision, version: revision, time: 0, uid: 0,
      value: .integer(Int64(revision)))
  }
}
