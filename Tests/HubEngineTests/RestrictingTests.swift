// What a restricted connection may still request, and what it keeps.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Restricted connections")
struct RestrictingTests {
  /// Each request, and whether reading includes it.
  private static let requests: [(Request, isReading: Bool)] = {
    let dev = try! StoreName("dev")
    return [
      (.get("a"), true), (.describe("a"), true), (.list(.everything), true), (.clients(), true),
      (.stats, true),
      (.access(dev), true), (.log(.everything), true), (.monitor(), true), (.watch([.everything]), true),
      (.write(.set("a", .integer(2))), false), (.write(.add("a", .integer(1))), false),
      (.write(.toggle("a")), false), (.write(.reset("a")), false), (.write(.remove("a")), false),
      (.write(.create(dev, Schema(type: .integer))), false), (.transaction([.set("a", .integer(2))]), false),
      (.transaction([]), false), (.reload, false), (.provide(ClaimOffer(dev, [.everything])), false),
      (.standing(dev, .live), false), (.decide(1, .accept()), false),
    ]
  }()

  private func isRefused(_ reply: Reply) -> Bool {
    if case .error(let error) = reply {
      error.code == .denied && error.message.contains("restricted")
    } else {
      false
    }
  }

  @Test("reading is all reads, and no request that changes something", arguments: Restriction.allCases)
  func requests(restriction: Restriction) throws {
    var hub = EngineFixture { ($0.uid, $0.canReload, $0.historyBytes) = (1000, true, 1 << 16) }
    let (restricted, other) = (hub.connect(3), hub.connect(4))
    _ = hub.write(other, .set("a", .integer(1)))
    #expect(hub.ask(restricted, .restrict(restriction)) == .restricted)
    let revision = hub.engine.revision
    for (request, isReading) in Self.requests {
      let reply = hub.ask(restricted, request)
      #expect(isRefused(reply) == !(isReading && restriction == .reading), "\(request)")
    }
    #expect(hub.engine.revision == revision)
    #expect(hub.ask(restricted, .ping) == .pong(revision: revision))
    // Nobody else is restricted.
    #expect(hub.write(other, .set("a", .integer(3))).result?.changed == true)
  }

  @Test("what was given up does not come back, and more can be given up")
  func narrowing() {
    var hub = EngineFixture()
    let session = hub.connect()
    #expect(hub.ask(session, .restrict(.reading)) == .restricted)
    #expect(hub.ask(session, .restrict(.reading)) == .restricted)
    #expect(hub.ask(session, .restrict(.nothing)) == .restricted)
    #expect(isRefused(hub.ask(session, .restrict(.reading))))
    #expect(isRefused(hub.ask(session, .get("a"))))
  }

  @Test("a connection that may do nothing keeps its watches and its ephemeral values until it ends")
  func kept() throws {
    var hub = EngineFixture()
    let (restricted, other) = (hub.connect(3), hub.connect(4))
    _ = hub.ask(restricted, .write(.set("mine", .integer(1), lifetime: Lifetime(ephemeral: true))))
    _ = hub.ask(restricted, .watch([.everything]))
    _ = hub.turn()
    #expect(hub.ask(restricted, .restrict(.nothing)) == .restricted)
    _ = hub.write(other, .set("a", .integer(1)))
    #expect(hub.turn()[3]?.isEmpty == false)
    #expect(hub.ask(other, .get("mine")).state?.value == .integer(1))
    // It may end its watch, which was the fixture's fourth request.
    #expect(hub.ask(restricted, .unwatch(4)) == .unwatched)
    hub.close(restricted)
    #expect(hub.ask(other, .get("mine")).errorCode == .noSuchStore)
    // The next connection of that number is another one.
    let next = hub.connect(3)
    #expect(hub.write(next, .set("a", .integer(2))).result?.changed == true)
  }

  @Test("a write to a provided store is refused, and not forwarded")
  func provided() throws {
    var claim = try ClaimFixture()
    #expect(claim.hub.ask(claim.writer, .restrict(.reading)) == .restricted)
    #expect(isRefused(claim.hub.ask(claim.writer, .write(.set("dev.x", .integer(1))))))
    #expect(claim.forwards().isEmpty)
  }

  @Test("a monitor shows what was refused")
  func monitored() throws {
    var hub = EngineFixture { $0.uid = 0 }
    let (root, session) = (hub.connect(1, uid: 0), hub.connect(2))
    _ = hub.ask(session, .restrict(.nothing))
    _ = hub.ask(root, .monitor())
    _ = hub.ask(session, .get("a"))
    guard case .monitored(let page) = hub.ask(root, .monitor()) else { throw TestFailure("no page") }
    #expect(page.records.map(\.code) == [HubError.Code.denied.rawValue])
  }

  @Test("a hub that takes over restricts the same connections")
  func image() throws {
    var hub = EngineFixture()
    let sessions = [hub.connect(3), hub.connect(4), hub.connect(5)]
    _ = hub.ask(sessions[0], .restrict(.reading))
    _ = hub.ask(sessions[1], .restrict(.nothing))
    hub.engine = try EngineImage.engine(from: EngineImage.bytes(of: hub.engine), options: hub.engine.options)
    let replies = sessions.map { session in
      (read: isRefused(hub.ask(session, .get("a"))), write: isRefused(hub.write(session, .toggle("a"))))
    }
    #expect(replies.map(\.read) == [false, true, false])
    #expect(replies.map(\.write) == [true, true, false])
    // None is left when both have ended.
    hub.close(sessions[0])
    #expect(isRefused(hub.ask(sessions[1], .get("a"))))
    hub.close(sessions[1])
    #expect(!hub.engine.attention.hasRestricted)
  }
}
