// What users may make the hub keep: who is charged for what, what is refused at the limit, and to whom.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("What users may make the hub keep")
struct MemoryLimitTests {
  private let alice: UInt32 = 1001
  private let bob: UInt32 = 1002

  private func text(_ length: Int) -> Value { .string(String(repeating: "x", count: length)) }
  private func number(_ name: String) -> WriteOperation {
    .set(.name(try! StoreName(name)), .integer(1))
  }
  private func account(_ uid: UInt32, _ hub: borrowing EngineFixture) -> Account {
    hub.engine.stores.accounts[uid]
  }
  private func message(_ reply: Reply) -> String {
    if case .error(let error) = reply { error.message } else { "\(reply)" }
  }

  @Test("a store counts to who created it, its value to who set it")
  func whoPays() {
    var hub = EngineFixture()
    let (first, second) = (hub.connect(3, uid: alice), hub.connect(4, uid: bob))
    _ = hub.write(first, .set("a", text(100)))
    let store = MemoryCost.store(1, Schema(type: .string))
    #expect(account(alice, hub).bytes == store + MemoryCost.allocation + 100)
    #expect(account(alice, hub).stores == 1 && account(bob, hub).bytes == 0)
    _ = hub.write(second, .set("a", text(200)))
    #expect(account(alice, hub).bytes == store && account(bob, hub).bytes == MemoryCost.allocation + 200)
    // Nobody's number takes more than its store.
    _ = hub.write(second, .set("n", .integer(1)))
    _ = hub.write(first, .set("n", .integer(2)))
    #expect(account(alice, hub).bytes == store)
    _ = hub.write(first, .remove("a"))
    #expect(account(alice, hub).bytes == 0 && account(bob, hub).stores == 1)
    #expect(hub.engine.brokenInvariants().isEmpty || hub.turn().isEmpty)
  }

  @Test("a user is refused what exceeds the own limit, by each way of making the hub keep it")
  func ownLimit() throws {
    var hub = EngineFixture { $0.maximumUserMemory = 10_000 }
    let session = hub.connect(3, uid: alice)
    let other = hub.connect(4, uid: bob)
    let description = Schema(type: .integer, description: String(repeating: "d", count: 10_000))
    let choices = Schema(type: .integer, choices: (0..<500).map { .integer($0) })
    #expect(hub.write(session, .set("a", text(10_000))).errorCode == .quota)
    #expect(hub.write(session, .create(try StoreName("a"), description)).errorCode == .quota)
    #expect(hub.write(session, .create(try StoreName("a"), choices)).errorCode == .quota)
    #expect(hub.write(session, .set("a", text(1000))).result?.changed == true)
    #expect(hub.write(session, .set("a", text(9_900))).errorCode == .quota)
    #expect(hub.write(session, .create(try StoreName("a"), Schema(type: .string))).errorCode == nil)
    let longer = Schema(type: .string, description: String(repeating: "d", count: 9_000))
    #expect(hub.write(session, .create(try StoreName("a"), longer)).errorCode == .quota)
    let deep = try NamePattern((0..<60).map { "a\($0)" }.joined(separator: ".") + ".**")
    let refusal = message(hub.ask(session, .watch([deep])))
    #expect(
      refusal.hasPrefix("user 1001 uses ")
        && refusal.hasSuffix("maxUserMemoryBytes in the hub's configuration allows 10000"))
    for index in 0..<20 { _ = hub.write(session, number("n\(index)")) }
    #expect(hub.write(session, .set("n", .integer(1))).errorCode == .quota)
    #expect(account(alice, hub).bytes <= 10_000)
    // It is the limit of one user.
    #expect(hub.write(other, .set("b", text(8000))).result?.changed == true)
    let met = hub.engine.monitoring.takeMetLimits()
    #expect(
      !met.isEmpty && met.allSatisfy { $0.peer.uid == alice && $0.message.contains("maxUserMemoryBytes") })
  }

  @Test("who replaces another's value needs the room for all of it")
  func anothersValue() {
    var hub = EngineFixture { $0.maximumUserMemory = 3000 }
    let (first, second) = (hub.connect(3, uid: alice), hub.connect(4, uid: bob))
    _ = hub.write(first, .set("a", text(1500)))
    _ = hub.write(second, .set("b", text(1500)))
    #expect(hub.write(second, .set("a", text(1501))).errorCode == .quota)
    #expect(hub.write(first, .set("a", text(1501))).result?.changed == true)
  }

  @Test("whoever gives a store another schema does not exceed its creator's limit")
  func anothersSchema() throws {
    var hub = EngineFixture { $0.maximumUserMemory = 6000 }
    let (first, second) = (hub.connect(3, uid: alice), hub.connect(4, uid: bob))
    _ = hub.write(first, .set("a", text(4000)))
    _ = hub.write(first, .set("s", .integer(1)))
    let schema = Schema(type: .integer, description: String(repeating: "d", count: 3000))
    let reply = hub.write(second, .create(try StoreName("s"), schema))
    #expect(reply.errorCode == .quota && message(reply).hasPrefix("user 1001 uses"))
  }

  @Test("a user may create as many stores as the limit says, and not one more")
  func userStores() {
    var hub = EngineFixture { $0.maximumUserStores = 2 }
    let (first, second) = (hub.connect(3, uid: alice), hub.connect(4, uid: bob))
    _ = hub.write(first, .set("a", .integer(1)))
    _ = hub.write(first, .set("b", .integer(1)))
    let refused = hub.write(first, .set("c", .integer(1)))
    #expect(
      message(refused)
        == "user 1001 has created 2 stores, as many as maxUserStores in the hub's configuration allows")
    #expect(hub.write(second, .set("c", .integer(1))).result?.changed == true)
    // Another's removal makes room for who created it.
    _ = hub.write(second, .remove("a"))
    #expect(hub.write(first, .set("d", .integer(1))).result?.changed == true)
  }

  @Test("root and the hub's own user have no limit of their own, and the last sixteenth of what all may have")
  func reserve() {
    var hub = EngineFixture {
      $0.uid = 900
      $0.maximumStores = 32
      $0.maximumUserStores = 3
      $0.maximumUserMemory = 70_000
    }
    let (user, root, own) = (hub.connect(3, uid: alice), hub.connect(4, uid: 0), hub.connect(5, uid: 900))
    for index in 0..<30 { #expect(hub.write(root, number("r\(index)")).result?.changed == true) }
    let refused = hub.write(user, .set("a", .integer(1)))
    #expect(
      message(refused)
        == "the hub holds 30 stores: maxStores in its configuration allows 32, the last 2 of them to root and the "
        + "hub's own user")
    #expect(hub.write(root, .set("x", .integer(1))).result?.changed == true)
    #expect(hub.write(own, .set("y", .integer(1))).result?.changed == true)
    #expect(hub.write(root, .set("z", .integer(1))).errorCode == .quota)
    #expect(hub.write(own, .set("r0", .integer(2))).result?.changed == true)
  }

  @Test("all users together may make the hub keep as much as the limit says")
  func all() {
    var hub = EngineFixture { $0.maximumMemory = 16_000 }
    let (first, second) = (hub.connect(3, uid: alice), hub.connect(4, uid: bob))
    let root = hub.connect(5, uid: 0)
    _ = hub.write(first, .set("a", text(7000)))
    _ = hub.write(second, .set("b", text(6500)))
    let refused = hub.write(second, .set("c", .integer(1)))
    #expect(
      refused.errorCode == .quota
        && message(refused).hasSuffix(
          "maxMemoryBytes in the hub's configuration allows 16000, the last 1000 of them to root and the hub's own user"
        ))
    #expect(hub.write(root, .set("c", .integer(1))).result?.changed == true)
    #expect(hub.write(root, .set("d", text(1000))).errorCode == .quota)
  }

  @Test("root at a further socket is like any other user")
  func furtherSocket() {
    var hub = EngineFixture {
      $0.maximumUserStores = 1
      $0.access.sockets = [SocketLimit(name: "web", prefix: nil, rights: .all, user: nil)]
    }
    let (inside, outside) = (hub.connect(3, uid: 0, at: "web"), hub.connect(4, uid: 0))
    #expect(hub.write(inside, .set("a", .integer(1))).result?.changed == true)
    #expect(hub.write(inside, .set("b", .integer(1))).errorCode == .quota)
    #expect(hub.write(outside, .set("b", .integer(1))).result?.changed == true)
  }

  @Test(
    "a user's ninth connection counts, is refused where there is no room, and counts no more when it ends")
  func connections() {
    var hub = EngineFixture { $0.maximumUserMemory = 3 * MemoryCost.connection }
    let peer = Peer(pid: 1, uid: alice, gid: 1)
    for count in 0..<11 {
      #expect(hub.engine.connectionRefusal(of: peer, having: count, isFurther: false) == nil)
      let session = hub.connect(Int32(3 + count), uid: alice)
      hub.engine.countConnection(session, having: count)
    }
    #expect(account(alice, hub).bytes == 3 * MemoryCost.connection)
    #expect(hub.engine.brokenInvariants() == [])
    let refusal = hub.engine.connectionRefusal(of: peer, having: 11, isFurther: false) ?? ""
    #expect(refusal.contains("maxUserMemoryBytes in the hub's configuration allows"), "\(refusal)")
    let root = Peer(pid: 1, uid: 0, gid: 0)
    #expect(hub.engine.connectionRefusal(of: root, having: 11, isFurther: false) == nil)
    // The connections of a user take from what it may store.
    #expect(hub.write(SessionID(raw: 3), .set("a", .integer(1))).errorCode == .quota)
    hub.close(SessionID(raw: 12))
    _ = hub.turn()
    #expect(account(alice, hub).bytes == 2 * MemoryCost.connection)
    #expect(hub.engine.connectionRefusal(of: peer, having: 10, isFurther: false) == nil)
    #expect(hub.write(SessionID(raw: 3), .set("a", .integer(1))).result?.changed == true)
    for raw in Int32(3)..<14 where raw != 12 { hub.close(SessionID(raw: raw)) }
    _ = hub.turn()
    #expect(account(alice, hub).connectionBytes == 0)
  }

  @Test("what a transaction undoes is counted to nobody")
  func undone() {
    var hub = EngineFixture()
    let session = hub.connect(3, uid: alice)
    _ = hub.write(session, .set("a", text(100)))
    let before = account(alice, hub).bytes
    let reply = hub.ask(
      session,
      .transaction([.set("a", text(5000)), .set("b", text(70)), .remove("a"), .add("b", .integer(1))]))
    #expect(reply.errorCode == .typeMismatch)
    #expect(account(alice, hub).bytes == before && account(alice, hub).stores == 1)
  }

  @Test("the first of its watches pays for a pattern and its members, then the next")
  func sharedPattern() throws {
    var hub = EngineFixture()
    let (first, second) = (hub.connect(3, uid: alice), hub.connect(4, uid: bob))
    let root = hub.connect(5, uid: 0)
    _ = hub.write(root, .set("a.b", .integer(1)))
    let pattern = try NamePattern("a.*")
    _ = hub.ask(first, .watch([pattern]))
    _ = hub.ask(second, .watch([pattern]))
    _ = hub.write(root, .set("a.c", .integer(1)))
    _ = hub.turn()
    let whole = MemoryCost.pattern(pattern) + 2 * MemoryCost.membership + MemoryCost.watch
    #expect(account(alice, hub).bytes == whole && account(bob, hub).bytes == MemoryCost.watch)
    hub.close(first)
    _ = hub.turn()
    #expect(account(alice, hub).bytes == 0 && account(bob, hub).bytes == whole)
    hub.close(second)
    while hub.engine.hasWork { _ = hub.turn() }
    #expect(account(bob, hub).bytes == 0)
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("watches that grow beyond the limit end the session of that user which watches most, and no other")
  func growth() throws {
    let patterns = try ["b.*", "a.*", "*.a"].map { MemoryCost.pattern(try NamePattern($0)) }
    let watches = patterns.reduce(3 * MemoryCost.watch, +)
    var hub = EngineFixture { $0.maximumUserMemory = watches + 10 * MemoryCost.membership }
    let (small, large) = (hub.connect(3, uid: alice), hub.connect(4, uid: alice))
    let other = hub.connect(5, uid: bob)
    let root = hub.connect(6, uid: 0)
    _ = hub.ask(small, .watch([try NamePattern("b.*")]))
    _ = hub.ask(large, .watch([try NamePattern("a.*"), try NamePattern("*.a")]))
    _ = hub.ask(other, .watch([try NamePattern("a.**")]))
    for index in 0..<10 { _ = hub.write(root, number("a.n\(index)")) }
    _ = hub.turn()
    #expect(hub.engine.nextOverdrawn() == nil)
    for index in 10..<11 { _ = hub.write(root, number("a.n\(index)")) }
    _ = hub.turn()
    let victim = hub.engine.nextOverdrawn()
    #expect(victim?.session == large && victim?.reason.contains("maxUserMemoryBytes") == true)
    // There is none before that one is closed, and none afterwards.
    #expect(hub.engine.nextOverdrawn() == nil)
    hub.close(large)
    while hub.engine.hasWork { _ = hub.turn() }
    #expect(hub.engine.nextOverdrawn() == nil)
    #expect(hub.ask(small, .ping).isPong && account(bob, hub).bytes > 0)
  }

  @Test("a watch that would take too much with what matches it is refused, and leaves nothing behind")
  func matchingTooMuch() throws {
    let bare = MemoryCost.watch + MemoryCost.pattern(try NamePattern("a.*"))
    var hub = EngineFixture { $0.maximumUserMemory = bare + 40 * MemoryCost.membership }
    let session = hub.connect(3, uid: alice)
    let root = hub.connect(6, uid: 0)
    for index in 0..<41 { _ = hub.write(root, number("a.n\(index)")) }
    _ = hub.turn()
    #expect(hub.ask(session, .watch([try NamePattern("a.*")])).errorCode == .quota)
    while hub.engine.hasWork { _ = hub.turn() }
    #expect(account(alice, hub).bytes == 0)
    #expect(hub.engine.brokenInvariants() == [])
  }
}

extension Reply {
  fileprivate var isPong: Bool { if case .pong = self { true } else { false } }
}
