// Rules that name units and apps: whom they concern, and who no longer counts as the hub's own user.

import HubCore
import TestSupport
import Testing

@testable import HubEngine

@Suite("Access of units and apps") struct ProgramAccessTests {
  private static let alice: UInt32 = 1000
  private static let hub: UInt32 = 7
  private static let maps = PeerOrigin(unit: "user@7.service", userUnit: "maps.scope", app: "org.gnome.Maps")

  private static let rules = accessRules([
    ("print.**", [AccessGrant(.program(AccessProgram(.unit, "cups.service")), .all)]),
    ("mine.**", [AccessGrant(.program(AccessProgram(.userUnit, "cups.service")), .all)]),
    (
      "alice.**",
      [
        AccessGrant(
          .program(AccessProgram(.userUnit, "cups.service", of: .init(uid: alice, name: "alice"))), .all)
      ]
    ),
    ("maps.**", [AccessGrant(.program(AccessProgram(.app, "org.gnome.Maps")), .all)]),
  ])

  private struct World: ~Copyable {
    var fixture: EngineFixture

    init(_ rules: AccessRules) {
      fixture = EngineFixture { options in
        options.access = rules
        options.uid = hub
        options.canReload = true
      }
      let root = fixture.connect(1, uid: 0)
      for name in ["print.a", "mine.a", "alice.a", "maps.a"] {
        #expect(fixture.write(root, .set(.name(try! StoreName(name)), .integer(1))).errorCode == nil)
      }
      _ = fixture.turn()
    }

    mutating func connect(_ raw: Int32, uid: UInt32, _ origin: PeerOrigin?) -> SessionID {
      let session = SessionID(raw: raw)
      fixture.engine.open(session, peer: Peer(pid: 42, uid: uid, gid: 100), origin: origin, now: fixture.now)
      _ = fixture.ask(session, .hello(name: "program"))
      return session
    }

    /// The stores that it may read, of those that there are.
    mutating func read(_ session: SessionID) -> [String] {
      ["print.a", "mine.a", "alice.a", "maps.a"].filter {
        fixture.ask(session, .get(.name(try! StoreName($0)))).errorCode == nil
      }
    }

    /// What lets it read the name, or `trusted`.
    mutating func subject(_ session: SessionID, _ name: String, _ question: AccessQuestion?) throws -> String?
    {
      guard
        case .explained(let explanation) = fixture.ask(session, .access(try StoreName(name), as: question))
      else { return nil }
      return explanation.isTrusted ? "trusted" : explanation.answers.first?.subject
    }

    mutating func codes(_ session: SessionID, _ requests: [Request]) -> [HubError.Code?] {
      requests.map { fixture.ask(session, $0).errorCode }
    }
  }

  @Test("a rule concerns the unit or app that it names, of that service manager and user")
  func names() {
    var world = World(Self.rules)
    let cases: [(UInt32, PeerOrigin, [String])] = [
      (Self.alice, PeerOrigin(unit: "cups.service"), ["print.a"]),
      (
        Self.alice, PeerOrigin(unit: "user@1000.service", userUnit: "cups.service"), ["mine.a", "alice.a"]
      ),
      (1001, PeerOrigin(unit: "user@1001.service", userUnit: "cups.service"), ["mine.a"]),
      (Self.alice, Self.maps, ["maps.a"]),
      (Self.alice, PeerOrigin(unit: "org.gnome.Maps"), []),
      (Self.alice, PeerOrigin(), []),
    ]
    for (index, (uid, origin, readable)) in cases.enumerated() {
      let session = world.connect(Int32(10 + index), uid: uid, origin)
      #expect(world.read(session) == readable, "\(origin)")
    }
  }

  @Test("units that no rule names share the audience of their user")
  func audiences() {
    var world = World(Self.rules)
    let one = world.connect(10, uid: Self.alice, PeerOrigin(unit: "one.service"))
    let other = world.connect(11, uid: Self.alice, PeerOrigin(unit: "other.service"))
    let named = world.connect(12, uid: Self.alice, PeerOrigin(unit: "cups.service"))
    let audiences = [one, other, named].map { world.fixture.engine.feed.sessions.audience(of: $0) }
    #expect(audiences[0] == audiences[1] && audiences[1] != audiences[2])
  }

  @Test(
    "where rules name apps, an app of the hub's own user is not trusted, nor is a process of an unknown unit")
  func confined() {
    let administration: [Request] = [.stats, .reload, .monitor()]
    var world = World(Self.rules)
    let confined = [
      Self.maps, PeerOrigin(unit: "user@7.service", userUnit: "o.scope", app: "org.other"), PeerOrigin(),
    ]
    for (index, origin) in confined.enumerated() {
      let session = world.connect(Int32(10 + index), uid: Self.hub, origin)
      #expect(world.read(session) == (origin == Self.maps ? ["maps.a"] : []), "\(origin)")
      #expect(world.codes(session, administration).allSatisfy { $0 == .denied }, "\(origin)")
    }
    let unread = world.connect(20, uid: Self.hub, nil)
    #expect(world.read(unread).isEmpty)
    let program = world.connect(21, uid: Self.hub, PeerOrigin(unit: "session-1.scope"))
    let root = world.connect(22, uid: 0, PeerOrigin())
    for session in [program, root] {
      #expect(world.read(session).count == 4)
      #expect(world.codes(session, administration).allSatisfy { $0 != .denied })
    }
    // Rules that name no app promise nothing about apps.
    var units = World(
      accessRules([("print.**", [AccessGrant(.program(AccessProgram(.unit, "a.service")), .all)])]))
    let app = units.connect(10, uid: Self.hub, Self.maps)
    #expect(units.read(app).count == 4)
  }

  @Test("an app of the hub's own user may not take another's claim")
  func claims() {
    var world = World(Self.rules)
    let root = world.connect(9, uid: 0, PeerOrigin())
    let offer = ClaimOffer(try! StoreName("display"), [try! NamePattern("display.**")])
    #expect(world.fixture.ask(root, .provide(offer)).errorCode == nil)
    let app = world.connect(10, uid: Self.hub, Self.maps)
    let own = ClaimOffer(try! StoreName("own"), [try! NamePattern("own.**")])
    #expect(world.fixture.ask(app, .provide(own)).errorCode == .denied)
  }

  @Test(
    "a reload concerns connected sessions, and asks for the origin only of those whose origin is not known")
  func reload() {
    var world = World(accessRules([]))
    let known = world.connect(10, uid: Self.alice, PeerOrigin(unit: "other.service"))
    let unread = world.connect(11, uid: Self.alice, nil)
    #expect(world.read(known).isEmpty && world.read(unread).isEmpty)
    var asked: [Int32] = []
    world.fixture.engine.setAccess(Self.rules, groups: { _ in [] }) { session in
      asked.append(session.raw)
      return PeerOrigin(unit: "cups.service")
    }
    #expect(asked == [11])
    #expect(world.read(known).isEmpty && world.read(unread) == ["print.a"])
    _ = world.fixture.turn()
    world.fixture.engine.setAccess(accessRules([])) { _ in [] }
    #expect(world.read(unread).isEmpty)
    _ = world.fixture.turn()
    world.fixture.engine.setAccess(Self.rules) { _ in [] }
    #expect(world.read(unread) == ["print.a"])
  }

  @Test("an image keeps the origin of each session, and that it is not known")
  func image() throws {
    var world = World(Self.rules)
    let cups = world.connect(10, uid: Self.alice, PeerOrigin(unit: "cups.service"))
    _ = world.connect(11, uid: 0, nil)
    let image = EngineImage.bytes(of: world.fixture.engine)
    var options = HubEngine.Options()
    (options.access, options.uid, options.changeLogBytes) = (Self.rules, Self.hub, 1 << 16)
    world.fixture.engine = try EngineImage.engine(from: image, options: options)
    #expect(world.read(cups) == ["print.a"])
    #expect(
      world.fixture.engine.feed.sessions.origin(of: SessionID(raw: 10)) == PeerOrigin(unit: "cups.service"))
    #expect(world.fixture.engine.feed.sessions.origin(of: SessionID(raw: 11)) == nil)
  }

  @Test("at a socket that maps its clients to a user they have no unit; at others they do")
  func sockets() {
    var rules = Self.rules
    rules.sockets = [
      SocketLimit(name: "mapped", user: .init(uid: Self.alice, gid: 100, name: "alice")),
      SocketLimit(name: "plain"),
    ]
    let table = AccessTable(rules, user: Self.hub, group: 70)
    let peer = Peer(pid: 1, uid: 5, gid: 5)
    let cups = PeerOrigin(unit: "cups.service")
    func rights(_ socket: String) -> AccessRights {
      let identity = table.identity(of: peer, groups: [], at: socket, origin: cups)
      return Array("print.a".utf8).withByteView {
        table.rights(of: identity, by: table.rule(for: $0)).anywhere
      }
    }
    #expect(rights("mapped") == [] && rights("plain") == .all)
  }

  // MARK: Shown

  @Test(
    "clients shows the origin; the owner is asked for a few unknown ones at a time, and each page waits for them"
  )
  func clients() {
    var world = World(AccessRules())
    let viewer = world.connect(2, uid: 0, PeerOrigin())
    for raw in Int32(10)..<50 { _ = world.connect(raw, uid: Self.alice, nil) }
    var (after, shown, pages): (Int32, [ClientSummary], Int) = (-1, [], 0)
    while true {
      var frame = OutputBuffer()
      Request.clients(after: after).encode(into: &frame, id: 1)
      let unknown = frame.array.withByteView {
        world.fixture.engine.withoutOrigin(FrameView(bytes: $0), by: viewer)
      }
      #expect(unknown.count <= 16)
      for session in unknown {
        world.fixture.engine.setOrigin(PeerOrigin(unit: "s\(session.raw).service"), of: session)
      }
      guard case .clients(let page, let more) = world.fixture.ask(viewer, .clients(after: after)) else {
        Issue.record("no page")
        return
      }
      shown += page
      pages += 1
      guard more, let last = page.last else { break }
      after = last.session
    }
    #expect(shown.count == 42 && pages == 3)
    for client in shown where client.session >= 10 {
      #expect(client.origin == PeerOrigin(unit: "s\(client.session).service"))
    }
  }

  @Test("for a user who sees only their own connections, only those are looked up, and none before hello")
  func ownClients() {
    var world = World(Self.rules)
    let viewer = world.connect(2, uid: Self.alice, nil)
    _ = world.connect(3, uid: 1001, nil)
    let silent = SessionID(raw: 4)
    world.fixture.engine.open(
      silent, peer: Peer(pid: 1, uid: Self.alice, gid: 1), origin: nil, now: world.fixture.now)
    var frame = OutputBuffer()
    Request.clients(after: -1).encode(into: &frame, id: 1)
    let unknown = [viewer, silent].map { session in
      frame.array.withByteView {
        world.fixture.engine.withoutOrigin(FrameView(bytes: $0), by: session).map(\.raw)
      }
    }
    #expect(unknown == [[2, 4], []])
  }

  // MARK: Explained

  @Test("access explains programs: one's own, and those that are asked about")
  func explained() throws {
    var world = World(Self.rules)
    let cups = world.connect(10, uid: Self.alice, PeerOrigin(unit: "cups.service"))
    let root = world.connect(11, uid: 0, PeerOrigin())
    #expect(try world.subject(cups, "print.a", nil) == "unit:cups.service")
    let user = PeerOrigin(unit: "user@1000.service", userUnit: "cups.service")
    #expect(
      try world.subject(root, "alice.a", AccessQuestion(uid: Self.alice, origin: user))
        == "user-unit:alice/cups.service")
    #expect(
      try world.subject(root, "maps.a", AccessQuestion(uid: Self.hub, origin: Self.maps))
        == "app:org.gnome.Maps")
    #expect(try world.subject(root, "maps.a", AccessQuestion(uid: Self.hub)) == "trusted")
  }
}
