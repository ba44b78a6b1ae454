// What `log` tells: every change that happened, none that did not, in pages of any size, and to whom.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("What log tells")
struct ChronicleTests {
  private func hub(_ bytes: Int = 1 << 16) -> EngineFixture { EngineFixture { $0.historyBytes = bytes } }

  /// All that is told, in pages of at most so many changes.
  private func log(
    _ hub: inout EngineFixture, _ session: SessionID, _ pattern: NamePattern = .everything,
    from: LogPlace = LogPlace(), limit: UInt32 = 1000
  ) throws -> LogPage {
    var place = from
    var changes: [LoggedChange] = []
    while true {
      guard case .logged(var page) = hub.ask(session, .log(pattern, from: place, limit: limit)) else {
        throw HubError(.protocolViolation, "no page")
      }
      #expect(page.changes.count <= limit)
      changes += page.changes
      guard let next = page.next else {
        page.changes = changes
        return page
      }
      place = next
    }
  }

  @Test("each change, with its time, its values and who has made it")
  func changes() throws {
    var hub = hub()
    let (alice, bob) = (hub.connect(1, uid: 1000, name: "alice's"), hub.connect(2, uid: 1001, name: ""))
    _ = hub.write(alice, .set("a", .integer(1)))
    hub.now.wall += 5
    _ = hub.write(bob, .add("a", .integer(2)))
    _ = hub.ask(alice, .transaction([.set("b", .string("x")), .remove("a")]))
    _ = hub.write(alice, .set("b", .string("x")))
    let page = try log(&hub, bob)
    #expect(page.floor == 0 && page.revision == 3)
    #expect(page.changes.map(\.name) == ["a", "a", "b", "a"])
    #expect(page.changes.map(\.kind) == [.created, .changed, .created, .removed])
    #expect(
      page.changes.map(\.revision) == [1, 2, 3, 3] && page.changes.map(\.uid) == [1000, 1001, 1000, 1000])
    #expect(page.changes.map(\.value) == [.integer(1), .integer(3), .string("x"), nil])
    #expect(page.changes.map(\.client) == ["alice's", "", "alice's", "alice's"])
    #expect(page.changes.allSatisfy { $0.pid == 42 } && page.changes[1].time == page.changes[0].time + 5)
    #expect(try log(&hub, bob, NamePattern("b")).changes.map(\.name) == ["b"])
    #expect(try log(&hub, bob, from: LogPlace(revision: 3)).changes.count == 2)
    #expect(try log(&hub, bob, from: LogPlace(revision: 3, skip: 1)).changes.map(\.name) == ["a"])
    #expect(try log(&hub, bob, from: LogPlace(revision: 4)).changes.isEmpty)
  }

  @Test("what ends by itself was done by the hub")
  func ended() throws {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 10)))
    hub.now.boot += 20_000_000
    hub.expire()
    let owner = hub.connect(2, uid: 1000)
    _ = hub.write(owner, .set("b", .integer(2), lifetime: Lifetime(ephemeral: true)))
    hub.close(owner)
    let changes = try log(&hub, session).changes
    #expect(changes.map(\.name) == ["a", "a", "b", "b"])
    for end in [changes[1], changes[3]] {
      #expect(end.kind == .removed && end.pid == 0 && end.client == "" && end.uid == 0)
    }
  }

  @Test("a hub without the setting keeps nothing, and says so")
  func off() throws {
    var hub = hub(0)
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    #expect(hub.ask(session, .log(.everything)).errorCode == .notSupported)
    let floor = hub.engine.history.chronicle.floor
    #expect(floor == nil)
  }

  @Test("a transaction that fails did not happen")
  func failed() throws {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    let failing: [WriteOperation] = [.set("b", .integer(1)), .set("a", .integer(2)), .toggle("a")]
    #expect(hub.ask(session, .transaction(failing)).errorCode == .typeMismatch)
    _ = hub.turn()
    #expect(try log(&hub, session).changes.map(\.revision) == [1])
    _ = hub.write(session, .set("a", .integer(3)))
    #expect(try log(&hub, session).changes.map(\.value) == [.integer(1), .integer(3)])
  }

  @Test(
    "the newest changes that fit, all of them, in pages of any size", arguments: [1, 100, 300, 3000, 30_000])
  func bounded(bytes: Int) throws {
    var random = SeededGenerator(seed: UInt64(bytes))
    var hub = hub(bytes)
    let session = hub.connect()
    var model: [(revision: Revision, name: String, value: Value)] = []
    for round in 0..<400 {
      let count = random.next() % 4 == 0 ? Int(random.next() % 8) + 1 : 1
      var operations: [WriteOperation] = []
      for index in 0..<count {
        let name = "s\(random.next() % 5).n\(index)"
        // Some are longer than a small ring.
        let value = Value.string(
          String(repeating: "x", count: Int(random.next() % 60) * (round % 50 == 0 ? 10 : 1)))
        operations.append(.set(.name(try StoreName(name)), value, force: true))
        model.append((hub.engine.revision + 1, name, value))
      }
      #expect(hub.ask(session, .transaction(operations)).errorCode == nil)
      if random.next() % 3 == 0 { _ = hub.turn() }
      if random.next() % 8 == 0 {
        let failing: [WriteOperation] = [.set("s0.n0", .string("no"), force: true), .toggle("s0.n0")]
        _ = hub.ask(session, .transaction(failing))
      }
      guard round % 7 == 0 else { continue }
      let page = try log(&hub, session, limit: UInt32(random.next() % 9) + 1)
      let kept = model.filter { $0.revision > page.floor }
      #expect(page.changes.map(\.revision) == kept.map(\.revision))
      #expect(page.changes.map(\.name) == kept.map(\.name) && page.changes.map(\.value) == kept.map(\.value))
      let from = Revision(random.next()) % (hub.engine.revision + 2)
      let later = try log(&hub, session, from: LogPlace(revision: from), limit: 3).changes
      #expect(later.map(\.revision) == kept.map(\.revision).filter { $0 >= from })
    }
    let page = try log(&hub, session)
    #expect((page.floor > 300) == (bytes < 30_000))
    #expect(page.changes.count > (bytes < 300 ? -1 : bytes < 3000 ? 0 : 10))
  }

  @Test(
    "a page looks at no more changes than one step's work allows, fewer for a glob that is hard to match, and ends nevertheless"
  )
  func passed() throws {
    var hub = hub(1 << 20)
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(0)))
    for _ in 0..<10_000 { _ = hub.write(session, .add("a", .integer(1))) }
    _ = hub.write(session, .set("b", .integer(0)))
    guard case .logged(let page) = hub.ask(session, .log(try NamePattern("b"))),
      case .logged(let hard) = hub.ask(session, .log(try NamePattern("**.b"))),
      let next = page.next, let hardNext = hard.next
    else { throw TestFailure("one page is enough") }
    #expect(page.changes.isEmpty && hard.changes.isEmpty)
    #expect(next.revision < 10_002 && hardNext.revision < next.revision)
    #expect(try log(&hub, session, NamePattern("b")).changes.map(\.name) == ["b"])
  }

  @Test("a transaction of more changes than a page looks at is told whole, and once")
  func longTransaction() throws {
    var hub = hub(1 << 20)
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(0)))
    let names = (0..<WriteOperation.mostInTransaction).map { "s.n\($0)" }
    let writes = try names.map { WriteOperation.set(.name(try StoreName($0)), .integer(1)) }
    #expect(hub.ask(session, .transaction(writes)).errorCode == nil)
    _ = hub.write(session, .set("z", .integer(0)))
    #expect(try log(&hub, session).changes.map(\.name) == ["a"] + names + ["z"])
    #expect(try log(&hub, session, NamePattern("*")).changes.map(\.name) == ["a", "z"])
    #expect(try log(&hub, session, NamePattern("s.n4000")).changes.map(\.name) == ["s.n4000"])
  }

  @Test("a change that is longer than all that may be kept takes everything before with it")
  func tooLong() throws {
    var hub = hub(200)
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    #expect(try log(&hub, session).changes.count == 1)
    _ = hub.write(session, .set("b", .string(String(repeating: "x", count: 200))))
    let emptied = try log(&hub, session)
    #expect(emptied.changes.isEmpty && emptied.floor == 2 && emptied.revision == 2)
    _ = hub.write(session, .set("a", .integer(2)))
    let page = try log(&hub, session)
    #expect(page.changes.map(\.value) == [.integer(2)] && page.floor == 2)
    // One that is undone is not told, nor is the floor above what has happened; but what it has pushed out is gone.
    let failing: [WriteOperation] = [.set("b", .string(String(repeating: "y", count: 200))), .toggle("b")]
    #expect(hub.ask(session, .transaction(failing)).errorCode == .typeMismatch)
    let undone = try log(&hub, session)
    #expect(undone.changes.isEmpty && undone.floor == 3 && undone.revision == 3)
  }

  @Test("a store's removal and the creation of another of its name are two changes")
  func again() throws {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    _ = hub.ask(session, .transaction([.remove("a"), .set("a", .string("x"))]))
    let changes = try log(&hub, session).changes
    #expect(changes.map(\.kind) == [.created, .removed, .created])
    #expect(changes.map(\.version) == [1, 2, 1] && Set(changes.map(\.id)).count == 2)
  }

  @Test("nobody is told of stores that he may not read, nor of the processes of others")
  func access() throws {
    let rules = accessRules([
      ("shown.**", [AccessGrant(.anyone, [.read, .write, .create])]),
      ("own.**", [AccessGrant(.owner, [.read, .write, .remove]), AccessGrant(.anyone, .create)]),
    ])
    var hub = EngineFixture { options in
      options.access = rules
      options.uid = 7
      options.historyBytes = 1 << 16
    }
    let (root, alice, bob) = (hub.connect(1, uid: 0), hub.connect(2, uid: 1000), hub.connect(3, uid: 1001))
    _ = hub.write(root, .set("shown.a", .integer(1)))
    _ = hub.write(root, .set("hidden", .integer(2)))
    _ = hub.write(alice, .set("own.a", .integer(3)))
    _ = hub.write(alice, .remove("own.a"))
    _ = hub.write(bob, .set("own.a", .integer(4)))
    #expect(try log(&hub, root).changes.count == 5)
    let alices = try log(&hub, alice).changes
    #expect(alices.map(\.name) == ["shown.a", "own.a", "own.a"] && alices.last?.kind == .removed)
    #expect(alices.map(\.pid) == [0, 42, 42] && alices.map(\.client) == ["", "fixture", "fixture"])
    #expect(try log(&hub, bob).changes.map(\.value) == [.integer(1), .integer(4)])
    #expect(try log(&hub, bob, NamePattern("hidden")).changes.isEmpty)
  }
}
