// Many patterns that match the same names, or nearly: what is refused, so that nobody waits for it.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Crowds of patterns")
struct CrowdTests {
  private let alice: UInt32 = 1001

  /// Globs that match every name of `parts` parts `a`, but for what comes last.
  private func globs(_ count: Int, parts: Int, last: String) throws -> [NamePattern] {
    try (0..<count).map { number in
      let front = (0..<parts).map { number >> $0 & 1 == 1 ? "*" : "a" }
      return try NamePattern((front + [last]).joined(separator: "."))
    }
  }

  @Test(
    "a name that nearly matches too many globs is refused, one of fewer parts is not, and the hub itself may")
  func nearlyMatching() throws {
    var hub = EngineFixture()
    let session = hub.connect(3, uid: alice)
    let tail = Array(repeating: "a", count: 60).joined(separator: ".")
    #expect(hub.ask(session, .watch(try globs(1024, parts: 12, last: tail + ".b"))).errorCode == nil)
    let deep = try StoreName(Array(repeating: "a", count: 72).joined(separator: ".") + ".c")
    guard case .error(let error) = hub.write(session, .set(.name(deep), .integer(1))) else {
      Issue.record("not refused")
      return
    }
    #expect(error.code == .quota && error.message.contains("fewer parts"))
    let short = try StoreName("a.a.a.a.a")
    #expect(hub.write(session, .set(.name(short), .integer(1))).result?.changed == true)
    #expect(throws: Never.self) {
      try hub.engine.declare([(deep, Schema(type: .integer, initial: .integer(1)))], now: hub.now)
    }
    #expect(hub.write(session, .set(.name(deep), .integer(2))).result?.changed == true)
  }

  @Test("a transaction whose changes concern too many patterns is refused as a whole")
  func group() throws {
    var hub = EngineFixture { $0.changeLogBytes = 1 << 20 }
    let session = hub.connect(3, uid: alice)
    _ = hub.write(session, .set("a.a.a.a.a.a.a.a.a.a.z", .integer(0)))
    #expect(hub.ask(session, .watch(try globs(1024, parts: 10, last: "z"))).errorCode == nil)
    _ = hub.turn()
    let before = hub.engine.revision
    let many = (1...2000).map { WriteOperation.set("a.a.a.a.a.a.a.a.a.a.z", .integer(Int64($0))) }
    #expect(hub.ask(session, .transaction(many)).errorCode == .quota)
    #expect(hub.engine.revision == before)
    #expect(hub.ask(session, .transaction(Array(many.prefix(500)))).errorCode == nil)
    _ = hub.turn()
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test(
    "a store is watched by at most so many different patterns, and a watch beyond that leaves nothing behind")
  func crowdedStore() throws {
    var hub = EngineFixture()
    let session = hub.connect(3, uid: alice)
    _ = hub.write(session, .set("a.a.a.a.a.a.a.a.a.a.a.a.a.z", .integer(0)))
    let globs = try globs(5000, parts: 13, last: "z")
    // `**` is the first.
    let most = Int(PatternTable.mostPerStore) - 1
    #expect(hub.ask(session, .watch(Array(globs.prefix(most)))).errorCode == nil)
    #expect(hub.ask(session, .watch([globs[most]])).errorCode == .quota)
    #expect(hub.ask(session, .watch([globs[0]])).errorCode == nil)
    while hub.engine.hasWork { _ = hub.turn() }
    #expect(hub.ask(session, .watch([globs[most]])).errorCode == .quota)
    _ = hub.turn()
    while hub.engine.hasWork { _ = hub.turn() }
    #expect(hub.engine.brokenInvariants() == [])
  }
}
