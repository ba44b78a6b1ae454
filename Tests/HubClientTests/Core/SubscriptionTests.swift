// The streams of one shared watch, by themselves.

import HubCore
import Testing

@testable import HubClient

@Suite("A shared watch")
struct SubscriptionTests {
  @Test("each stream leaves once, and the others stay")
  func leaving() throws {
    let key = try WatchKey(StoreName("a"))
    let subscription = Subscription(key: key, wantsEvery: false)
    let streams = (0..<4).map { _ in EventStream(key: key, policy: .latest(), content: .events) }
    for stream in streams { subscription.add(stream) }
    #expect(subscription.remove(streams[1]))
    #expect(!subscription.remove(streams[1]))
    #expect(!subscription.remove(EventStream(key: key, policy: .latest(), content: .events)))
    #expect(subscription.streams.count == 3)
    // The last one has taken its place, from which it leaves, too.
    #expect(subscription.remove(streams[3]) && subscription.remove(streams[0]))
    #expect(subscription.streams.count == 1 && subscription.streams[0] === streams[2])
  }

  @Test("an event goes to each of its streams, however many there are")
  func publishing() throws {
    let key = try WatchKey(StoreName("a"))
    for count in 0...20 {
      let subscription = Subscription(key: key, wantsEvery: false)
      for _ in 0..<count {
        subscription.add(EventStream(key: key, policy: .latest(), content: .events))
      }
      var effects = Effects()
      subscription.publish(StoreEvent(.synced, revision: 7, epoch: Epoch(high: 1, low: 1)), &effects)
      for stream in subscription.streams {
        guard case .event(let shared) = try stream.take() else {
          Issue.record("one of \(count) streams has nothing")
          continue
        }
        #expect(shared.event.revision == 7)
      }
    }
  }
}
