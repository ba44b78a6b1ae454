// What the engine lets through: every verb with and without its right, and what changes when the rules do.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

/// Rules from pairs of a pattern and what it gives.
func accessRules(_ rules: [(String, [AccessGrant])], defaultAccess: DefaultAccess = .closed) -> AccessRules {
  AccessRules(
    defaultAccess: defaultAccess,
    rules: rules.enumerated().map {
      AccessRule(try! NamePattern($0.element.0), $0.element.1, origin: "access[\($0.offset)]")
    })
}

@Suite struct AccessEngineTests {
  private static let alice: UInt32 = 1000
  private static let bob: UInt32 = 1001

  private static let rules = accessRules([
    ("shown.**", [AccessGrant(.anyone, .read)]),
    ("free.**", [AccessGrant(.anyone, .all)]),
    ("drop.**", [AccessGrant(.anyone, .write), AccessGrant(.owner, .all)]),
    ("own.**", [AccessGrant(.owner, [.read, .write, .remove]), AccessGrant(.anyone, .create)]),
  ])

  private static func fixture() -> EngineFixture {
    var fixture = EngineFixture { options in
      options.access = rules
      options.uid = 7
    }
    let root = fixture.connect(1, uid: 0)
    for name in ["shown.a", "secret.a", "drop.a", "free.a"] {
      let reply = fixture.write(root, .set(.name(try! StoreName(name)), .integer(1)))
      #expect(reply.errorCode == nil)
    }
    return fixture
  }

  private static func store(_ name: String) -> StoreReference { .name(try! StoreName(name)) }

  /// Every way to ask for a store.
  private static func requests(_ name: String) -> [Request] {
    let store = store(name)
    return [
      .get(store), .describe(store), .write(.set(store, .integer(2))),
      .write(.set(store, .integer(2), condition: WriteCondition(value: .integer(1)))),
      .write(.set(store, .integer(2), condition: WriteCondition(absent: true))),
      .write(.add(store, .integer(1))), .write(.toggle(store)), .write(.reset(store)),
      .write(.remove(store)), .write(.create(try! StoreName(name), Schema(type: .string))),
      .write(.create(try! StoreName(name), Schema(type: .string), ifAbsent: true)),
      .transaction([.add(store, .integer(1))]), .transaction([.set(store, .integer(5))]),
    ]
  }

  @Test("a store that may not be read answers every request exactly as one that does not exist")
  func concealed() {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    for (hidden, absent) in zip(Self.requests("secret.a"), Self.requests("secret.b")) {
      let (one, other) = (fixture.ask(alice, hidden), fixture.ask(alice, absent))
      #expect(
        "\(one)".replacing("secret.a", with: "NAME") == "\(other)".replacing("secret.b", with: "NAME"))
      #expect(one.errorCode != nil, "\(hidden)")
    }
    let root = SessionID(raw: 1)
    #expect(fixture.ask(root, .get("secret.a")).state?.value == .integer(1))
  }

  @Test("a store's number finds it only for who may read it")
  func byNumber() throws {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    let id = try #require(fixture.ask(SessionID(raw: 1), .get("secret.a")).state?.id)
    #expect(fixture.ask(alice, .get(.id(id))).errorCode == .noSuchStore)
    #expect(fixture.ask(alice, .write(.set(.id(id), .integer(3)))).errorCode == .noSuchStore)
  }

  @Test("a right that one lacks on a store that one may read is denied, by the rule that decides")
  func denied() throws {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    #expect(fixture.ask(alice, .get("shown.a")).state?.value == .integer(1))
    for request in Self.requests("shown.a").dropFirst(2) {
      guard case .error(let error) = fixture.ask(alice, request) else {
        Issue.record("\(request) is allowed")
        continue
      }
      switch request {
      case .write(.create(_, _, ifAbsent: true)): #expect(error.code == .conflict)
      default:
        #expect(error.code == .denied, "\(request)")
        #expect(error.message.contains("access[0] (shown.**)"), "\(error)")
      }
    }
    #expect(fixture.ask(alice, .write(.set("shown.new", .integer(1)))).errorCode == .denied)
  }

  @Test("who may write and not read can set a store, and learns nothing else of it")
  func writeOnly() {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    #expect(fixture.ask(alice, .write(.set("drop.a", .integer(9)))).errorCode == nil)
    for request in Self.requests("drop.a") where request != Request.write(.set("drop.a", .integer(2))) {
      if case .transaction(let operations) = request, case .set = operations[0] { continue }
      #expect(fixture.ask(alice, request).errorCode != nil, "\(request)")
    }
    #expect(fixture.ask(SessionID(raw: 1), .get("drop.a")).state?.value == .integer(9))
  }

  @Test("all rights are enough for every verb")
  func allowed() {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    #expect(fixture.ask(alice, .write(.add("free.a", .integer(1)))).result?.value == .integer(2))
    #expect(
      fixture.ask(alice, .write(.create(try! StoreName("free.b"), Schema(type: .boolean)))).errorCode == nil)
    #expect(fixture.ask(alice, .write(.toggle("free.b"))).result?.value == .boolean(true))
    #expect(fixture.ask(alice, .write(.reset("free.b"))).errorCode == nil)
    #expect(
      fixture.ask(
        alice, .write(.create(try! StoreName("free.b"), Schema(type: .boolean, description: "other")))
      ).errorCode
        == nil)
    #expect(fixture.ask(alice, .write(.remove("free.b"))).errorCode == nil)
    #expect(fixture.ask(alice, .describe("free.a")).errorCode == nil)
  }

  @Test("an owner's store is his alone, and its name is denied to others without a word about it")
  func owner() {
    var fixture = Self.fixture()
    let (alice, bob) = (fixture.connect(2, uid: Self.alice), fixture.connect(3, uid: Self.bob))
    #expect(fixture.ask(alice, .write(.set("own.x", .integer(1)))).errorCode == nil)
    #expect(fixture.ask(bob, .get("own.x")).errorCode == .noSuchStore)
    #expect(fixture.ask(bob, .write(.set("own.x", .integer(2)))).errorCode == .denied)
    #expect(fixture.ask(bob, .write(.set("own.y", .integer(2)))).errorCode == nil)
    #expect(fixture.ask(alice, .write(.remove("own.x"))).errorCode == nil)
    #expect(fixture.ask(bob, .write(.set("own.x", .integer(2)))).errorCode == nil, "the name is free again")
    #expect(fixture.ask(alice, .get("own.x")).errorCode == .noSuchStore)
  }

  @Test("lists, the hub's figures and its clients show only what one may know")
  func lists() {
    var fixture = Self.fixture()
    let (alice, bob) = (fixture.connect(2, uid: Self.alice), fixture.connect(3, uid: Self.bob))
    _ = fixture.ask(bob, .write(.set("own.bob", .integer(1))))
    guard case .listed(let stores, let more) = fixture.ask(alice, .list(.everything)),
      case .clients(let clients, _) = fixture.ask(alice, .clients())
    else {
      Issue.record("no lists")
      return
    }
    #expect(stores.map(\.name) == ["free.a", "shown.a"])
    #expect(!more)
    #expect(clients.map(\.peer.uid) == [Self.alice])
    #expect(fixture.ask(alice, .stats).errorCode == .denied)
    guard case .clients(let all, _) = fixture.ask(SessionID(raw: 1), .clients()) else { return }
    #expect(all.count == 3)
  }

  @Test("a watch shows the stores that may be read, from its beginning, and through creation and removal")
  func watching() {
    var fixture = Self.fixture()
    let (alice, root) = (fixture.connect(2, uid: Self.alice), SessionID(raw: 1))
    _ = fixture.ask(alice, .watch([.everything]))
    _ = fixture.ask(alice, .watch([try! NamePattern("secret.a"), try! NamePattern("secret.new")]))
    let begin = fixture.turn()[2] ?? []
    #expect(Self.names(begin) == ["shown.a", "free.a"])
    for name in ["secret.new", "shown.new", "secret.a"] {
      _ = fixture.ask(root, .write(.set(Self.store(name), .integer(5))))
    }
    #expect(Self.names(fixture.turn()[2] ?? []) == ["shown.new"])
    for name in ["secret.new", "shown.new"] { _ = fixture.ask(root, .write(.remove(Self.store(name)))) }
    #expect(Self.names(fixture.turn()[2] ?? []) == ["shown.new"])
    _ = fixture.ask(root, .write(.set("secret.a", .integer(6))))
    #expect(fixture.turn()[2] == nil, "nothing is sent, not even synced")
  }

  private static func names(_ events: [HubEvent]) -> [String] {
    events.compactMap { event in
      switch event {
      case .created(let name, _, _, _, _, _), .current(let name, _), .removed(let name, _, _, _): name
      case .change, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask: nil
      }
    }
  }

  // MARK: Other rules

  @Test("who loses the right to read is told removed, with the reason, and nothing of the store afterwards")
  func losing() {
    var fixture = Self.fixture()
    let (alice, root) = (fixture.connect(2, uid: Self.alice), SessionID(raw: 1))
    _ = fixture.ask(alice, .watch([.everything]))
    _ = fixture.turn()
    fixture.engine.setAccess(accessRules([("free.**", [AccessGrant(.anyone, .all)])])) { _ in [] }
    let events = fixture.turn()[2] ?? []
    guard events.count == 2, case .removed("shown.a", let removal, _, _) = events[0],
      case .synced(let revision) = events[1]
    else {
      Issue.record("\(events)")
      return
    }
    #expect(removal.isWithdrawn)
    #expect(removal.revision == revision && removal.version == 2)
    _ = fixture.ask(root, .write(.set("shown.a", .integer(5))))
    _ = fixture.ask(root, .write(.remove("shown.a")))
    #expect(fixture.turn()[2] == nil)
    #expect(fixture.ask(alice, .get("shown.a")).errorCode == .noSuchStore)
    _ = fixture.ask(root, .write(.set("free.a", .integer(5))))
    #expect(fixture.turn()[2]?.count == 1)
  }

  @Test("who gains the right to read is told to forget, and gets everything")
  func gaining() {
    var fixture = Self.fixture()
    let alice = fixture.connect(2, uid: Self.alice)
    _ = fixture.ask(alice, .watch([.everything]))
    _ = fixture.turn()
    fixture.engine.setAccess(AccessRules()) { _ in [] }
    let events = fixture.turn()[2] ?? []
    guard case .forget? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(Set(Self.names(events)) == ["shown.a", "secret.a", "drop.a", "free.a"])
    #expect(fixture.ask(alice, .get("secret.a")).errorCode == nil)
  }

  @Test("a bookmark from before other rules shows everything anew, but not to who may always read everything")
  func bookmarks() {
    var fixture = Self.fixture()
    let root = SessionID(raw: 1)
    let bookmark = Bookmark(epoch: fixture.engine.epoch, revision: fixture.engine.revision)
    _ = fixture.turn()
    fixture.engine.setAccess(accessRules([("secret.**", [])], defaultAccess: .open)) { _ in [] }
    let alice = fixture.connect(2, uid: Self.alice)
    _ = fixture.ask(root, .write(.set("shown.a", .integer(5))))
    _ = fixture.turn()
    let later = Bookmark(epoch: fixture.engine.epoch, revision: fixture.engine.revision)
    func resumes(_ session: SessionID, _ bookmark: Bookmark, _ fixture: inout EngineFixture) -> Bool {
      _ = fixture.ask(session, .watch([.everything], bookmark: bookmark))
      return !Self.names(fixture.turn()[session.raw] ?? []).contains("free.a")
    }
    #expect(!resumes(alice, bookmark, &fixture))
    #expect(resumes(root, bookmark, &fixture))
    let again = fixture.connect(4, uid: Self.alice)
    #expect(resumes(again, later, &fixture))
  }

  // MARK: Owners

  @Test("who created a store is known after a hand-off and after a restart", arguments: [false, true])
  func ownersLast(compacts: Bool) throws {
    var options = HubEngine.Options()
    options.journals = true
    options.access = Self.rules
    options.uid = 7
    let now = Instant(wall: 1, boot: 1)
    var engine = HubEngine(options: options, epoch: Epoch(high: 1, low: 2), now: now)
    var journal = PaperJournal()
    journal.begin(&engine)
    func ask(_ engine: inout HubEngine, _ raw: Int32, _ request: Request) -> Reply {
      var frame = OutputBuffer()
      request.encode(into: &frame, id: 1)
      var replies = OutputBuffer()
      _ = engine.receive(
        FrameView(bytes: frame.view), from: SessionID(raw: raw), in: engine.openTurn(), now: now,
        into: &replies)
      journal.commit(&engine)
      var frames = FrameCursor(replies.view)
      return frames.next().flatMap { try? Reply(decoding: $0) } ?? .unwatched
    }
    func open(_ engine: inout HubEngine, _ raw: Int32, _ uid: UInt32) {
      engine.open(SessionID(raw: raw), peer: Peer(pid: 1, uid: uid, gid: 1), now: now)
      _ = ask(&engine, raw, .hello(name: ""))
    }
    func end(_ engine: inout HubEngine) {
      let sealed = engine.seal(engine.openTurn())
      while engine.nextDue(in: sealed) != nil {}
      engine.end(sealed)
    }
    open(&engine, 2, Self.alice)
    #expect(ask(&engine, 2, .write(.set("own.x", .integer(1)))).errorCode == nil)
    open(&engine, 1, 0)
    #expect(ask(&engine, 1, .write(.set("own.x", .integer(2)))).errorCode == nil)
    end(&engine)
    engine = try EngineImage.engine(from: EngineImage.bytes(of: engine), options: options)
    #expect(ask(&engine, 2, .get("own.x")).state?.value == .integer(2))
    end(&engine)
    if compacts { journal.compact(engine, now: now) }
    engine = try journal.engine(options, epoch: engine.epoch, behind: .kill, now: now)
    journal.begin(&engine)
    open(&engine, 2, Self.alice)
    open(&engine, 3, Self.bob)
    #expect(ask(&engine, 2, .get("own.x")).state?.value == .integer(2))
    #expect(ask(&engine, 3, .get("own.x")).errorCode == .noSuchStore)
  }
}
