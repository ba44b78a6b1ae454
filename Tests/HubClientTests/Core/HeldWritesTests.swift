// The replies that wait for this process's own streams, by themselves.

import HubCore
import HubTransport
import Testing

@testable import HubClient

@Suite("Replies that are held for this process's own streams")
struct HeldWritesTests {
  private let call = Call()
  private let answer = Answer(reply: .unwatched, epoch: Epoch(high: 1, low: 1))
  private let one = StoreID(raw: 1)
  private let other = StoreID(raw: 2)

  private func subscription(_ name: String) throws -> Subscription {
    let subscription = Subscription(key: try WatchKey(StoreName(name)), wantsEvery: false)
    subscription.isOpen = true
    return subscription
  }

  private func at(_ time: UInt64) -> Deadline { Deadline(nanoseconds: time) }

  /// Held until 100 for what these watches have to show.
  private func held(_ waits: [(Subscription, StoreID, Revision)]) -> HeldWrites {
    var draft = HeldWrites.Draft()
    for (subscription, store, revision) in waits { draft.await(subscription, store, revision) }
    var held = HeldWrites()
    held.hold(call, answer, until: at(100), draft)
    return held
  }

  private func isReleased(_ body: (inout Effects) -> Void) -> Bool {
    var effects = Effects()
    body(&effects)
    effects.run()
    return call.result != nil
  }

  @Test("a reply waits for its own watch, its own store and its own revision, or a later one")
  func see() throws {
    let (mine, foreign) = (try subscription("a"), try subscription("b"))
    var held = held([(mine, one, 5)])
    #expect(!isReleased { held.see(foreign, one, 5, &$0) })
    #expect(!isReleased { held.see(mine, other, 5, &$0) })
    #expect(!isReleased { held.see(mine, one, 4, &$0) })
    #expect(!held.isEmpty)
    #expect(isReleased { held.see(mine, one, 5, &$0) })
    #expect(held.isEmpty && held.deadline == .never)
  }

  @Test("a later revision shows it, too")
  func later() throws {
    let mine = try subscription("a")
    var held = held([(mine, one, 5)])
    #expect(isReleased { held.see(mine, one, 6, &$0) })
  }

  @Test("it waits for all watches that cover the store")
  func all() throws {
    let (mine, second) = (try subscription("a"), try subscription("b"))
    var held = held([(mine, one, 5), (second, one, 5)])
    #expect(!isReleased { held.see(mine, one, 5, &$0) })
    #expect(isReleased { held.see(second, one, 5, &$0) })
  }

  @Test("a synced at its revision releases it, but not for a watch that the hub has not confirmed")
  func synced() throws {
    let mine = try subscription("a")
    var held = held([(mine, one, 5)])
    #expect(!isReleased { held.sync(4, &$0) })
    mine.isOpen = false
    #expect(!isReleased { held.sync(5, &$0) })
    mine.isOpen = true
    #expect(isReleased { held.sync(5, &$0) })
  }

  @Test("a watch that ends holds nothing back, and only what waited for it alone")
  func dropped() throws {
    let (mine, foreign) = (try subscription("a"), try subscription("b"))
    var held = held([(mine, one, 5)])
    #expect(!isReleased { held.drop(foreign, &$0) })
    #expect(isReleased { held.drop(mine, &$0) })
  }

  @Test("all are released when the revisions are void")
  func void() throws {
    var held = held([(try subscription("a"), one, 5)])
    #expect(isReleased { held.releaseAll(&$0) })
  }

  @Test("a caller that waits no longer gets its own answer, and no other")
  func given() throws {
    var held = held([(try subscription("a"), one, 5)])
    #expect(!isReleased { held.release(Call(), &$0) })
    #expect(isReleased { held.release(call, &$0) })
    #expect(held.isEmpty)
  }

  @Test("a reply is released at its time, and not before")
  func expired() throws {
    var held = held([(try subscription("a"), one, 5)])
    let late = Call()
    var draft = HeldWrites.Draft()
    draft.await(try subscription("b"), one, 5)
    held.hold(late, answer, until: at(200), draft)
    #expect(held.deadline == at(100))
    #expect(!isReleased { held.expire(at(99), &$0) })
    #expect(isReleased { held.expire(at(100), &$0) })
    #expect(late.result == nil && held.deadline == at(200))
  }
}
