// The protocol page's claims that one exchange of frames cannot show: time passes, connections end, numbers are large.

import HubCore
import TestSupport
import Testing

@testable import HubEngine

@Suite struct PageAnswersTests {
  private static let both = Lifetime(ttl: 10, ephemeral: true)

  @Test("a value with a ttl that is ephemeral, too, ends with what comes first")
  func bothLifetimes() {
    var hub = EngineFixture()
    let owner = hub.connect(3)
    let other = hub.connect(4)
    for name in ["a", "b"] as [StoreReference] {
      _ = hub.write(owner, .set(name, .integer(1), lifetime: Self.both))
    }
    _ = hub.write(owner, .set("b", .integer(1), lifetime: Lifetime(ttl: 1000, ephemeral: true)))
    hub.now.boot += 10_000_000
    hub.expire()
    #expect(hub.ask(other, .get("a")).errorCode == .noSuchStore)
    #expect(hub.ask(other, .get("b")).state != nil)
    hub.close(owner)
    #expect(hub.ask(other, .get("b")).errorCode == .noSuchStore)
  }

  @Test("create keeps the lifetime of the value: it goes back to the new schema's initial value")
  func createKeepsLifetimes() {
    var hub = EngineFixture()
    let owner = hub.connect(3)
    let other = hub.connect(4)
    let schema = Schema(type: .integer, initial: .integer(7))
    for name in ["a", "b"] { _ = hub.write(other, .set(.name(try! StoreName(name)), .integer(1))) }
    _ = hub.write(owner, .set("a", .integer(2), lifetime: Lifetime(ttl: 10)))
    _ = hub.write(owner, .set("b", .integer(2), lifetime: Lifetime(ephemeral: true)))
    for name in ["a", "b"] { _ = hub.write(other, .create(try! StoreName(name), schema)) }
    hub.now.boot += 10_000_000
    hub.expire()
    hub.close(owner)
    #expect(hub.ask(other, .get("a")).state?.value == .integer(7))
    #expect(hub.ask(other, .get("b")).state?.value == .integer(7))
  }

  @Test("the end of a value is a change with a version and a revision of its own, made by the hub's user")
  func endsAreChanges() throws {
    var hub = EngineFixture { $0.uid = 77 }
    let session = hub.connect(3, uid: 1000)
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 10)))
    _ = hub.ask(session, .watch([.everything]))
    _ = hub.turn()
    hub.now.boot += 10_000_000
    hub.expire()
    let events = hub.turn()[session.raw] ?? []
    guard case .removed("a", let removal, _, _)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(removal.revision == 2 && removal.version == 2 && removal.uid == 77)
  }

  @Test("a transaction has at most 4,096 operations")
  func longTransactions() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .boolean(false)))
    let most = [WriteOperation](repeating: .toggle("a"), count: 4096)
    guard case .committed(_, let results) = hub.ask(session, .transaction(most)) else {
      Issue.record("4,096 operations are refused")
      return
    }
    #expect(results.count == 4096)
    guard case .error(let error) = hub.ask(session, .transaction(most + [.toggle("a")])) else {
      Issue.record("4,097 operations are accepted")
      return
    }
    #expect(error.code == .tooLarge && error.operation == 4096)
    #expect(hub.ask(session, .get("a")).state?.version == 4097)
  }
}
