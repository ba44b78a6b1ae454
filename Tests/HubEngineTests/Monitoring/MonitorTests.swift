// What monitor tells: every request of others and what the hub does by itself, to whom, and how much of it is kept.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("What monitor tells")
struct MonitorTests {
  private static let root: UInt32 = 0

  /// What has happened since the last question.
  private func look(
    _ hub: inout EngineFixture, _ session: SessionID, _ filter: MonitorFilter = MonitorFilter()
  ) throws -> MonitorPage {
    guard case .monitored(let page) = hub.ask(session, .monitor(filter)) else {
      throw HubError(.protocolViolation, "no page")
    }
    return page
  }

  @Test("each request of others, with who has asked, its bytes and how it ended")
  func requests() throws {
    var hub = EngineFixture()
    let (root, alice) = (hub.connect(1, uid: Self.root), hub.connect(2, uid: 1000, name: "alice's"))
    _ = hub.write(alice, .set("a", .integer(1)))
    let first = try look(&hub, root)
    #expect(first.begins && first.records.isEmpty && !first.more)
    hub.now.wall += 5
    _ = hub.ask(alice, .get("a"))
    _ = hub.ask(alice, .get("b"))
    _ = hub.ask(alice, .ping)
    _ = hub.ask(alice, .transaction([.set("c", .string("x")), .remove("a")]))
    let page = try look(&hub, root)
    #expect(!page.begins && page.missed == 0 && !page.more)
    #expect(page.records.map(\.kind) == [0x03, 0x03, 0x02, 0x0A])
    #expect(page.records.map(\.name) == ["a", "b", "", "c"])
    #expect(page.records.map(\.code) == [0, HubError.Code.noSuchStore.rawValue, 0, 0])
    #expect(page.records.map(\.revision) == [1, 1, 1, 2])
    for record in page.records {
      #expect(record.uid == 1000 && record.pid == 42 && record.client == "alice's" && record.missed == 0)
      #expect(record.time == hub.now.wall && record.isWhole)
    }
    #expect(page.records[1].error.contains("no such store"))
    #expect(page.records[0].payload == [1, UInt8(ascii: "a")])
    #expect(try look(&hub, root).records.isEmpty)
  }

  @Test("who connects, and who is refused")
  func greetings() throws {
    var hub = EngineFixture()
    let root = hub.connect(1, uid: Self.root)
    _ = try look(&hub, root)
    _ = hub.connect(2, uid: 1000, name: "new")
    let record = try #require(try look(&hub, root).records.first)
    #expect(record.kind == RequestKind.hello.rawValue && record.client == "new" && record.code == 0)
  }

  @Test("a store that is named by its number is told by its name, also if the request removes it")
  func numbers() throws {
    var hub = EngineFixture()
    let (root, alice) = (hub.connect(1, uid: Self.root), hub.connect(2, uid: 1000))
    guard case .written(let result) = hub.ask(alice, .write(.set("a.b", .integer(1)))) else { return }
    _ = try look(&hub, root)
    _ = hub.ask(alice, .get(.id(result.id)))
    _ = hub.ask(alice, .write(.remove(.id(result.id))))
    #expect(try look(&hub, root).records.map(\.name) == ["a.b", "a.b"])
  }

  @Test("what the hub does by itself is told as a change")
  func ended() throws {
    var hub = EngineFixture()
    let (root, alice) = (hub.connect(1, uid: Self.root), hub.connect(2, uid: 1000))
    _ = hub.write(alice, .set("a", .integer(1), lifetime: Lifetime(ttl: 10)))
    _ = hub.write(alice, .create(try StoreName("b"), Schema(type: .integer, initial: .integer(7))))
    _ = hub.write(alice, .set("b", .integer(2), lifetime: Lifetime(ephemeral: true)))
    _ = try look(&hub, root)
    hub.now.boot += 20_000_000
    hub.expire()
    hub.close(alice)
    let records = try look(&hub, root).records
    #expect(records.map(\.name) == ["a", "b"])
    #expect(records.map(\.kind) == [EventKind.removed.rawValue, EventKind.change.rawValue])
    #expect(records.allSatisfy { $0.pid == 0 && $0.uid == 0 && $0.code == 0 })
    var value = OutputBuffer()
    value.append(Value.integer(7))
    #expect(records[1].payload == value.array && records[1].isWhole)
  }

  @Test("filters by store, glob, user and kind; the newest filter holds")
  func filters() throws {
    var hub = EngineFixture()
    let root = hub.connect(1, uid: Self.root)
    let (alice, bob) = (hub.connect(2, uid: 1000), hub.connect(3, uid: 1001))
    func seen(_ filter: MonitorFilter) throws -> [String] {
      _ = try look(&hub, root, filter)
      _ = hub.ask(alice, .get("a.b"))
      _ = hub.ask(bob, .watch([try NamePattern("a.*"), try NamePattern("x")]))
      _ = hub.ask(bob, .transaction([.set("y", .integer(1)), .set("a.c", .integer(1))]))
      _ = hub.ask(bob, .ping)
      _ = hub.ask(bob, .unwatch(2))
      return try look(&hub, root, filter).records.map { "\($0.kind) \($0.name)" }
    }
    let all = try seen(MonitorFilter())
    #expect(all == ["3 a.b", "13 a.*", "10 y", "2 ", "14 "])
    #expect(try seen(MonitorFilter(pattern: try NamePattern("a.**"))) == ["3 a.b", "13 a.*", "10 y"])
    #expect(try seen(MonitorFilter(pattern: try NamePattern("x"))) == ["13 a.*"])
    let wrong = [4, 0, 0, 0] + [UInt8]([4]) + Array("a..b".utf8) + [0]
    #expect(hub.ask(root, rawFrame(RequestKind.monitor.rawValue, wrong)).reply.errorCode == .invalidPattern)
    #expect(try seen(MonitorFilter(uid: 1000)) == ["3 a.b"])
    #expect(try seen(MonitorFilter(kinds: [2, 10])) == ["10 y", "2 "])
    #expect(try seen(MonitorFilter(pattern: try NamePattern("a.**"), uid: 1001, kinds: [3, 10])) == ["10 y"])
  }

  @Test("only root and the hub's own user may, at the hub's own socket")
  func strangers() throws {
    var hub = EngineFixture {
      $0.uid = 990
      $0.access = AccessRules(sockets: [SocketLimit(name: "box")])
    }
    for uid: UInt32 in [0, 990] { _ = try look(&hub, hub.connect(Int32(uid) % 7, uid: uid)) }
    let alice = hub.connect(2, uid: 1000)
    #expect(hub.ask(alice, .monitor()).errorCode == .denied)
    hub.engine.open(
      SessionID(raw: 9), peer: Peer(pid: 1, uid: 0, gid: 0), groups: [], at: "box", now: hub.now)
    _ = hub.ask(SessionID(raw: 9), .hello(name: "boxed"))
    #expect(hub.ask(SessionID(raw: 9), .monitor()).errorCode == .denied)
  }

  @Test("what is not fetched is kept up to a bound, without a gap in it; the rest is counted")
  func bounded() throws {
    var hub = EngineFixture()
    let (root, alice) = (hub.connect(1, uid: Self.root), hub.connect(2, uid: 1000))
    _ = try look(&hub, root)
    let count = 8000
    for number in 0..<count { _ = hub.write(alice, .set("a", .integer(Int64(number)))) }
    var revisions: [Revision] = []
    var page = try look(&hub, root)
    while page.more {
      #expect(page.missed == 0 && page.records.count < 1000)
      revisions += page.records.map(\.revision)
      page = try look(&hub, root)
    }
    revisions += page.records.map(\.revision)
    #expect(revisions == Array(1...Revision(revisions.count)))
    #expect(revisions.count > 4000 && Int(page.missed) == count - revisions.count)
    #expect(page.missed > 0)
    // A gap that something follows is told with what follows it.
    for number in 0..<count { _ = hub.write(alice, .set("a", .integer(Int64(number)))) }
    _ = try look(&hub, root)
    _ = hub.ask(alice, .ping)
    var records: [MonitorRecord] = []
    repeat {
      page = try look(&hub, root)
      records += page.records
    } while page.more
    #expect(records.last?.kind == RequestKind.ping.rawValue && records.last?.missed ?? 0 > 0)
    #expect(records.dropLast().allSatisfy { $0.missed == 0 } && page.missed == 0)
  }

  @Test("of a long request the beginning is kept")
  func long() throws {
    var hub = EngineFixture()
    let (root, alice) = (hub.connect(1, uid: Self.root), hub.connect(2, uid: 1000))
    _ = try look(&hub, root)
    _ = hub.write(alice, .set("a", .string(String(repeating: "x", count: 5000))))
    let record = try #require(try look(&hub, root).records.first)
    #expect(!record.isWhole && record.length > 5000 && record.payload.count == MonitorRecord.mostPayload)
  }

  @Test("it ends with its connection, and there are so many at most")
  func several() throws {
    var hub = EngineFixture()
    for raw: Int32 in 0..<8 { _ = try look(&hub, hub.connect(raw, uid: Self.root)) }
    let late = hub.connect(8, uid: Self.root)
    #expect(hub.ask(late, .monitor()).errorCode == .quota)
    // Nobody is told that somebody looks.
    #expect(
      try look(&hub, SessionID(raw: 0)).records.map(\.kind) == Array(repeating: 0x01, count: 8) + [0x14])
    hub.close(SessionID(raw: 3))
    #expect(try look(&hub, late).begins)
  }

  @Test("a client whose process the kernel has no number for is a client, and the hub is the hub")
  func otherNamespace() throws {
    var hub = EngineFixture()
    let (root, session) = (hub.connect(1, uid: Self.root), SessionID(raw: 2))
    _ = try look(&hub, root)
    hub.engine.open(session, peer: Peer(pid: 0, uid: 1000, gid: 1000), now: hub.now)
    _ = hub.ask(session, .hello(name: "inside"))
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 1)))
    hub.now.boot += 2_000_000
    hub.expire()
    let records = try look(&hub, root).records
    #expect(records.map(\.isByHub) == [false, false, true])
    #expect(records.map(\.pid) == [0, 0, 0] && records.map(\.client) == ["inside", "inside", ""])
    #expect(Peer(pid: 0, uid: 1, gid: 1).process == "a process in another pid namespace")
    #expect(Peer(pid: 7, uid: 1, gid: 1).process == "process 7")
  }
}
