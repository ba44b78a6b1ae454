// Values that end by themselves: with their time, with their connection.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite struct LifetimeTests {
  @Test("a value ends when its time is up, and the store goes or returns to its initial value")
  func ttl() {
    var hub = EngineFixture()
    let session = hub.connect()
    let created = Schema(type: .integer, initial: .integer(5))
    _ = hub.write(session, .create(try! StoreName("declared"), created))
    _ = hub.write(session, .set("declared", .integer(9), lifetime: Lifetime(ttl: 10)))
    _ = hub.write(session, .set("loose", .integer(9), lifetime: Lifetime(ttl: 20)))
    #expect(hub.engine.nextDeadline == hub.now.boot + 10_000_000)
    hub.now.boot += 10_000_000
    hub.expire()
    #expect(hub.ask(session, .get("declared")).state?.value == .integer(5))
    #expect(hub.ask(session, .get("loose")).state != nil)
    hub.now.boot += 10_000_000
    hub.expire()
    #expect(hub.ask(session, .get("loose")).errorCode == .noSuchStore)
    #expect(hub.engine.nextDeadline == nil)
  }

  @Test("every successful set decides the lifetime again")
  func renewed() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 10)))
    _ = hub.write(session, .set("a", .integer(1)))
    hub.now.boot += 50_000_000
    hub.expire()
    #expect(hub.ask(session, .get("a")).state?.value == .integer(1))
    #expect(hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 0))).errorCode == .invalidValue)
  }

  @Test(
    "a set without a lifetime keeps the value of an earlier owner, whatever the owner's number",
    arguments: [0, 3])
  func disowned(owner: Int32) {
    var hub = EngineFixture()
    let session = hub.connect(owner)
    let ephemeral = Lifetime(ephemeral: true)
    _ = hub.write(session, .set("a", .integer(1), lifetime: ephemeral))
    _ = hub.write(session, .set("b", .integer(1), lifetime: ephemeral))
    _ = hub.write(session, .set("a", .integer(1)))
    hub.close(session)
    let other = hub.connect(5)
    #expect(hub.ask(other, .get("a")).state?.value == .integer(1))
    #expect(hub.ask(other, .get("b")).errorCode == .noSuchStore)
  }

  @Test("a value does not end at the time that a transaction which failed would have given it")
  func rolledBackDeadline() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    let failing: [WriteOperation] = [
      .set("a", .integer(2), lifetime: Lifetime(ttl: 10)), .toggle("a"),
    ]
    #expect(hub.ask(session, .transaction(failing)).errorCode == .typeMismatch)
    _ = hub.write(session, .set("a", .integer(3), lifetime: Lifetime(ttl: 1000)))
    hub.now.boot += 20_000_000
    hub.expire()
    #expect(hub.ask(session, .get("a")).state?.value == .integer(3))
    hub.now.boot += 1_000_000_000
    hub.expire()
    #expect(hub.ask(session, .get("a")).errorCode == .noSuchStore)
  }

  @Test("ephemeral values of one connection end together, in one transaction")
  func ephemeral() {
    var hub = EngineFixture()
    let owner = hub.connect(3)
    let watcher = hub.connect(4)
    for name in ["x", "y"] as [StoreReference] {
      _ = hub.write(owner, .set(name, .integer(1), lifetime: Lifetime(ephemeral: true)))
    }
    _ = hub.write(owner, .set("taken", .integer(1), lifetime: Lifetime(ephemeral: true)))
    _ = hub.write(watcher, .set("taken", .integer(2)))
    _ = hub.ask(watcher, .watch([.everything]))
    _ = hub.turn()
    let before = hub.engine.revision
    hub.close(owner)
    #expect(hub.engine.revision == before + 1)
    let removed = hub.turn()[watcher.raw]!.compactMap { event -> String? in
      if case .removed(let name, _, _, _) = event { name } else { nil }
    }
    #expect(Set(removed) == ["x", "y"])
    #expect(hub.ask(watcher, .get("taken")).state?.value == .integer(2))
  }

  @Test(
    "values that a connection sets in turn, or takes and leaves, make no list grow", arguments: [false, true])
  func ownedListIsBounded(leaves: Bool) {
    var hub = EngineFixture()
    let owner = hub.connect()
    for round in 0..<1000 {
      for name in ["x", "y"] as [StoreReference] {
        if leaves { _ = hub.write(owner, .set(name, .integer(Int64(round)))) }
        _ = hub.write(owner, .set(name, .integer(Int64(-round)), lifetime: Lifetime(ephemeral: true)))
      }
    }
    #expect(hub.engine.stores.owned(by: owner).count == 2)
    hub.close(owner)
    #expect(hub.engine.storeCount == 0)
  }

  @Test("a value that is renewed forever leaves no trail of deadlines")
  func heapIsBounded() {
    var hub = EngineFixture()
    let session = hub.connect()
    for round in 0..<10_000 {
      _ = hub.write(session, .set("a", .integer(Int64(round)), lifetime: Lifetime(ttl: 1000)))
    }
    _ = hub.turn()
    hub.now.boot += 2_000_000_000
    var calls = 0
    while hub.engine.nextDeadline != nil, calls < 5 {
      hub.expire()
      calls += 1
    }
    #expect(hub.engine.nextDeadline == nil && calls <= 1)
  }
}
