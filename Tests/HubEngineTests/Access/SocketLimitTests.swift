// What a further socket's limits let through, with and without rules, for whoever comes through it.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite struct SocketLimitTests {
  private static func limit(
    _ name: String, _ prefix: String? = nil, _ rights: AccessRights = .all
  ) -> SocketLimit {
    SocketLimit(name: name, prefix: prefix.map { try! StoreName($0) }, rights: rights)
  }

  private static let sockets = [
    limit("web", "ct.web"), limit("inner", "ct.web.inner"), limit("look", nil, .read),
    limit("panel", "ct", [.read, .write]),
  ]

  /// A hub without rules, or with some, and with a store in each place.
  private static func fixture(_ rules: AccessRules = AccessRules()) -> EngineFixture {
    var rules = rules
    rules.sockets = sockets
    let all = rules
    var fixture = EngineFixture { options in
      options.access = all
      options.uid = 7
      options.canReload = true
    }
    let root = fixture.connect(1, uid: 0)
    for name in ["host", "ct.mail.a", "ct.web", "ct.web.a", "ct.web.inner.a", "ct.website"] {
      #expect(fixture.write(root, .set(store(name), .integer(1))).errorCode == nil)
    }
    return fixture
  }

  private static func store(_ name: String) -> StoreReference { .name(try! StoreName(name)) }

  private static func names(_ fixture: inout EngineFixture, _ session: SessionID) -> [String] {
    guard case .listed(let stores, _) = fixture.ask(session, .list(.everything)) else { return ["no list"] }
    return stores.map(\.name)
  }

  @Test("behind a prefix only names below it exist, also for root and where there are no rules")
  func prefix() {
    for uid in [0, 7, 1000, PeerIdentity.nobody] {
      var fixture = Self.fixture()
      let web = fixture.connect(2, uid: uid, at: "web")
      let inner = fixture.connect(3, uid: uid, at: "inner")
      let other = fixture.connect(4, uid: 1000)
      #expect(Self.names(&fixture, web) == ["ct.web.a", "ct.web.inner.a"])
      #expect(Self.names(&fixture, inner) == ["ct.web.inner.a"])
      #expect(Self.names(&fixture, other).count == 6, "the hub's own socket has no limits")
      for hidden in ["host", "ct.web", "ct.website", "ct.mail.a"] {
        #expect(fixture.ask(web, .get(Self.store(hidden))).errorCode == .noSuchStore)
        #expect(fixture.ask(web, .write(.set(Self.store(hidden), .integer(2)))).errorCode == .denied)
        #expect(fixture.ask(web, .write(.remove(Self.store(hidden)))).errorCode == .noSuchStore)
      }
      // A name that is taken answers as one that is not.
      #expect(fixture.ask(web, .write(.set(Self.store("free"), .integer(2)))).errorCode == .denied)
      #expect(fixture.ask(web, .write(.set(Self.store("ct.web.new"), .integer(2)))).errorCode == nil)
      #expect(fixture.ask(web, .write(.remove(Self.store("ct.web.a")))).errorCode == nil)
    }
  }

  @Test("a watch through a socket brings what is below its prefix, and wakes up for nothing else")
  func watch() throws {
    var fixture = Self.fixture()
    let web = fixture.connect(2, uid: 0, at: "web")
    let root = fixture.connect(3, uid: 0)
    _ = fixture.ask(web, .watch([.everything], policy: .every))
    #expect(fixture.turn()[web.raw]?.isEmpty == false)
    _ = fixture.write(root, .set(Self.store("host"), .integer(5)))
    _ = fixture.write(root, .set(Self.store("ct.mail.new"), .integer(5)))
    _ = fixture.write(root, .remove(Self.store("ct.mail.a")))
    #expect(fixture.turn()[web.raw] == nil)
    _ = fixture.write(root, .set(Self.store("ct.web.late"), .integer(5)))
    #expect(fixture.turn()[web.raw]?.isEmpty == false)
  }

  @Test("the rights of a socket are the most that anybody has there, and the rules may give less")
  func rights() {
    var fixture = Self.fixture()
    let look = fixture.connect(2, uid: 0, at: "look")
    let panel = fixture.connect(3, uid: 0, at: "panel")
    #expect(fixture.ask(look, .get(Self.store("host"))).errorCode == nil)
    #expect(fixture.ask(look, .write(.set(Self.store("host"), .integer(2)))).errorCode == .denied)
    #expect(fixture.ask(panel, .write(.set(Self.store("ct.web.a"), .integer(2)))).errorCode == nil)
    #expect(fixture.ask(panel, .write(.set(Self.store("ct.new"), .integer(2)))).errorCode == .denied)
    #expect(fixture.ask(panel, .write(.remove(Self.store("ct.web.a")))).errorCode == .denied)

    var closed = Self.fixture(accessRules([("ct.web.a", [AccessGrant(.anyone, .read)])]))
    let web = closed.connect(2, uid: 0, at: "web")
    #expect(Self.names(&closed, web) == ["ct.web.a"], "root is nobody special there")
    #expect(closed.ask(web, .write(.set(Self.store("ct.web.a"), .integer(2)))).errorCode == .denied)
  }

  @Test("a refusal names the socket and its limits")
  func refusal() {
    var fixture = Self.fixture()
    let panel = fixture.connect(2, uid: 0, at: "panel")
    guard case .error(let error) = fixture.ask(panel, .write(.remove(Self.store("ct.web.a")))) else {
      Issue.record("removed")
      return
    }
    #expect(error.message.hasSuffix("at the socket panel the rights are limited to read, write below ct"))
  }

  @Test("whom a socket counts its peers as owns what they create, and has that user's rights")
  func user() {
    var rules = accessRules([
      ("ct.**", [AccessGrant(.owner, [.read, .write]), AccessGrant(.group(70, name: "g"), .create)])
    ])
    rules.sockets = [
      SocketLimit(
        name: "web", prefix: try! StoreName("ct.web"),
        user: SocketLimit.User(uid: 500, gid: 50, groups: [50, 70], name: "web"))
    ]
    let all = rules
    var fixture = EngineFixture { $0.access = all }
    // The server passes the peer that it counts as.
    let web = fixture.connect(2, uid: 500, at: "web")
    let same = fixture.connect(3, uid: 500)
    let container = fixture.connect(4, uid: 0, at: "web")
    #expect(fixture.ask(web, .write(.set(Self.store("ct.web.a"), .integer(2)))).errorCode == nil)
    #expect(fixture.ask(same, .get(Self.store("ct.web.a"))).errorCode == nil, "it is the same user")
    #expect(fixture.ask(container, .get(Self.store("ct.web.a"))).errorCode == nil)
  }

  @Test("through a further socket nobody administers the hub, and sees whose connections are elsewhere")
  func administration() {
    var fixture = Self.fixture()
    let root = fixture.connect(2, uid: 0)
    let web = fixture.connect(3, uid: 0, at: "web")
    let beside = fixture.connect(4, uid: 0, at: "web")
    _ = fixture.connect(5, uid: 0, at: "inner")
    #expect(fixture.ask(web, .reload).errorCode == .denied)
    #expect(fixture.ask(web, .stats).errorCode == .denied)
    #expect(fixture.ask(root, .stats).errorCode == nil)
    guard case .clients(let seen, _) = fixture.ask(web, .clients()),
      case .clients(let all, _) = fixture.ask(root, .clients())
    else {
      Issue.record("no list")
      return
    }
    #expect(seen.map(\.session) == [web.raw, beside.raw])
    #expect(all.count == 5)
  }

  @Test("other limits come into force for those who are connected, and who has lost his socket has no rights")
  func change() {
    var fixture = Self.fixture()
    let web = fixture.connect(2, uid: 0, at: "web")
    let look = fixture.connect(3, uid: 0, at: "look")
    _ = fixture.turn()
    fixture.engine.setAccess(AccessRules(sockets: [Self.limit("web", "ct.mail")])) { _ in [] }
    #expect(Self.names(&fixture, web) == ["ct.mail.a"])
    #expect(Self.names(&fixture, look) == [])
    #expect(fixture.ask(look, .write(.set(Self.store("x"), .integer(1)))).errorCode == .denied)
    _ = fixture.turn()
    fixture.engine.setAccess(AccessRules()) { _ in [] }
    #expect(Self.names(&fixture, web) == [], "and not everything")
    #expect(fixture.ask(web, .reload).errorCode == .denied)
  }
}
