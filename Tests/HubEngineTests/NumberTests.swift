// Numbers that name something, started just before the end of what 32 bits hold, or of what they hold themselves.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Numbers near their end") struct NumberTests {
  private static let end = UInt64(UInt32.max)

  @Test("stores are shown to those who watch them, and to no others, when walks pass 2^32", arguments: 0..<8)
  func walks(_ before: Int) throws {
    var hub = EngineFixture()
    hub.engine.feed = Feed(
      stepWork: .max, longFrame: hub.engine.options.longFrame, walks: Self.end - UInt64(before))
    let (writer, other) = (hub.connect(3), hub.connect(4))
    _ = hub.ask(other, .watch([try NamePattern("a.*"), try NamePattern("*.x")]))
    _ = hub.turn()
    for name in ["a.x", "a.y", "b.x"] as [StoreReference] { _ = hub.write(writer, .set(name, .integer(1))) }
    _ = hub.turn()
    for raw in 5..<9 as Range<Int32> {
      let watcher = hub.connect(raw)
      _ = hub.ask(watcher, .watch([try NamePattern("b.**"), try NamePattern("**.y")]))
      let names = (hub.turn()[raw] ?? []).compactMap { event in
        if case .current(let name, _) = event { name } else { nil }
      }
      #expect(Set(names) == ["a.y", "b.x"] && names.count == 2)
      // Several patterns make it due: it gets what concerns it.
      _ = hub.ask(writer, .transaction([.toggle("none")]))
      _ = hub.ask(
        writer, .transaction(["a.x", "a.y", "b.x"].map { .set($0, .integer(Int64(raw))) }))
      #expect(hub.turn()[raw]?.count == 3, "two changes and synced")
    }
  }

  @Test("the tree finds the same patterns when steps of walks pass 2^32", arguments: 0..<6)
  func steps(_ before: Int) throws {
    var trie = PatternTrie(steps: Self.end - UInt64(before))
    let nodes = try ["a.*", "**.c", "a.**", "x.y"].map { text in
      let node = trie.insert(try NamePattern(text))
      trie[node] = 7
      return node
    }
    for _ in 0..<6 {
      var (effort, found) = (Effort(.max), Set<Int32>())
      _ = Array("a.c".utf8).withByteView { trie.match($0, &effort) }
      for place in trie.found.indices { found.insert(trie.found[place]) }
      #expect(found == Set(nodes[0...2]))
    }
  }

  @Test("after the last number of a store none is created, and existing stores can be set")
  func serials() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    hub.engine.stores.finishAdopting(serial: StoreID.serialLimit - 3)
    for name in ["a", "b"] as [StoreReference] {
      #expect(hub.write(session, .set(name, .integer(1))).result?.changed == true)
    }
    #expect(hub.write(session, .set("b", .integer(2))).result?.id.serial == StoreID.serialLimit - 1)
    guard case .error(let error) = hub.write(session, .set("c", .integer(1))) else {
      throw TestFailure("a store without a number")
    }
    #expect(error.code == .quota && error.message.contains("2^40"))
    // Also in a slot that was used.
    #expect(hub.write(session, .remove("a")).errorCode == nil)
    _ = hub.turn()
    #expect(hub.write(session, .set("d", .integer(1))).errorCode == .quota)
    #expect(hub.write(session, .set("b", .integer(3))).result?.changed == true)
    _ = hub.turn()
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("claims' numbers begin again after the last one, and pass over those that are in use")
  func claims() throws {
    var hub = EngineFixture { $0.uid = 0 }
    let session = hub.connect(uid: 0)
    func provide(_ name: String, _ hub: inout EngineFixture) throws -> UInt32? {
      let offer = ClaimOffer(try StoreName(name), [try NamePattern("\(name).*")])
      guard case .providing(let number, _) = hub.ask(session, .provide(offer)) else { return nil }
      return number
    }
    #expect(try provide("first", &hub) == 1)
    hub.engine.claims.lastNumber = .max - 1
    #expect(try provide("a", &hub) == .max)
    #expect(try provide("b", &hub) == 2)
    hub.engine.deal(now: hub.now)
    while hub.engine.nextMessage() != nil {}
    _ = hub.turn()
    let bytes = EngineImage.bytes(of: hub.engine)
    hub.engine = try EngineImage.engine(from: bytes, options: hub.engine.options)
    #expect(try provide("c", &hub) == 3)
  }

  @Test("requests of a session are counted beyond 2^32")
  func requests() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    var info = hub.engine.feed.sessions.info(of: session)
    info.requests = Self.end
    hub.engine.feed.sessions.restore(info, name: "fixture", of: session)
    _ = hub.ask(session, .ping)
    #expect(hub.engine.requestCount(of: session) == 1 << 32)
  }
}
