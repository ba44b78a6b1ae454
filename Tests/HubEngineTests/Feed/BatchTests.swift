// Catching up in batches: a session that is far behind gets what it missed in pieces, and a `synced` at the end of the last.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Catching up in batches")
struct BatchTests {
  private func isSynced(_ events: [HubEvent]?) -> Bool {
    if case .synced? = events?.last { true } else { false }
  }

  private func text(_ length: Int) -> Value { .string(String(repeating: "x", count: length)) }

  @Test("a batch that is full exactly at the end is followed by a synced", arguments: [1, 5])
  func exactly(stores: Int) throws {
    var hub = EngineFixture { $0.changeLogBytes = 1 << 20 }
    let (writer, watcher) = (hub.connect(3), hub.connect(4))
    _ = hub.ask(watcher, .watch([.everything]))
    #expect(isSynced(hub.turn()[4]))
    // It does not take its replies, and misses changes that fill a batch with their last byte but a few.
    hub.engine.pauseDelivery(to: watcher)
    for number in 0..<stores {
      _ = hub.write(writer, .set(.name(try StoreName("s\(number)")), text((70 << 10) / stores)))
    }
    #expect(hub.turn()[4] == nil)
    hub.engine.resumeDelivery(to: watcher)
    let events = hub.turn()[4]
    // One long change is a state by itself.
    #expect(stores == 1 ? events?.count == 1 : events?.count == stores + 1 && isSynced(events))
  }

  @Test("a turn that overran the log is followed by a synced, however long its values are")
  func overrun() {
    var hub = EngineFixture()
    let (writer, watcher) = (hub.connect(3), hub.connect(4))
    _ = hub.ask(watcher, .watch([.everything]))
    #expect(isSynced(hub.turn()[4]))
    _ = hub.write(writer, .set("a", text(70 << 10)))
    #expect(isSynced(hub.turn()[4]))
  }

  @Test(
    "a client that must forget is told so once, and then everything up to a synced", arguments: [1, 70 << 10])
  func forgetting(length: Int) {
    var hub = EngineFixture { $0.rememberedRemovals = 1 }
    let (writer, watcher) = (hub.connect(3), hub.connect(4))
    _ = hub.ask(watcher, .watch([.everything]))
    _ = hub.turn()
    hub.engine.pauseDelivery(to: watcher)
    for name in ["a", "b", "c"] as [StoreReference] {
      _ = hub.write(writer, .set(name, .integer(1)))
      _ = hub.write(writer, .remove(name))
    }
    _ = hub.write(writer, .set("left", text(length)))
    _ = hub.turn()
    hub.engine.resumeDelivery(to: watcher)
    let events = hub.turn()[4] ?? []
    #expect(events.count == 3 && isSynced(events))
    if case .forget? = events.first {} else { Issue.record("\(events)") }
  }
}
