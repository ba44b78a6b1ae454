// Lists, descriptions, clients: paged, exact, without state in the hub.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite struct ReadTests {
  @Test("a list is paged by name and misses nothing, whatever its limit")
  func paging() {
    var hub = EngineFixture()
    let session = hub.connect()
    let names = (0..<257).map { "s\($0 % 7).n\($0)" }
    for name in names.shuffled() { _ = hub.write(session, .set(.name(try! StoreName(name)), .integer(1))) }
    _ = hub.write(session, .remove("s0.n0"))
    for limit in [1, 7, 100, 1000] as [UInt32] {
      var seen: [String] = []
      var after = ""
      while case .listed(let page, let more) = hub.ask(
        session, .list(.everything, after: after, limit: limit))
      {
        #expect(page.count <= Int(limit))
        seen += page.map(\.name)
        after = page.last?.name ?? after
        if !more { break }
      }
      #expect(seen == names.filter { $0 != "s0.n0" }.sorted())
    }
    guard case .listed(let some, _) = hub.ask(session, .list(try! NamePattern("s3.*"))) else { return }
    #expect(some.count == names.filter { $0.hasPrefix("s3.") }.count)
  }

  @Test("a list has what its pattern matches, wherever that is among the names, whatever it starts after")
  func ranges() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    let parts = ["a", "a-", "a0", "aa", "b", "_", "Z"]
    let names =
      parts + parts.flatMap { one in parts.map { "\(one).\($0)" } } + ["a.b.c", "a-.b.c", "a0.b.c"]
    for name in names { _ = hub.write(session, .set(.name(try StoreName(name)), .integer(1))) }
    for text in ["a", "a.*", "a.**", "a.b.*", "a-.*", "a0", "*.b", "Z.**", "zz.**", "a.b.c", "_.*", "a.*.c"] {
      let pattern = try NamePattern(text)
      for after in [""] + names {
        let expected = try names.filter {
          try pattern.matches(StoreName($0)) && after.utf8.lexicographicallyPrecedes($0.utf8)
        }
        guard case .listed(let page, _) = hub.ask(session, .list(pattern, after: after)) else {
          Issue.record("\(pattern) is not listed")
          return
        }
        #expect(page.map(\.name) == expected.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      }
    }
  }

  @Test("a list of what begins with a name costs the same, however many other stores there are")
  func prefixCost() throws {
    func cost(others: Int) throws -> Int {
      var hub = EngineFixture()
      let session = hub.connect()
      for name in (0..<others).map({ "b\($0)" }) + ["m.a", "m.b", "m-.c"] + (0..<others).map({ "z\($0)" }) {
        _ = hub.write(session, .set(.name(try StoreName(name)), .integer(1)))
      }
      // The first list puts the names in order.
      _ = hub.ask(session, .list(.everything, limit: 1))
      let before = hub.engine.work
      guard case .listed(let page, false) = hub.ask(session, .list(try NamePattern("m.**"))) else { return 0 }
      #expect(page.count == 2)
      return hub.engine.work - before
    }
    let few = try cost(others: 2)
    #expect(try cost(others: 2000) == few && few > 0)
  }

  @Test("no page is longer than the shortest of longest frames, and the pages miss nothing")
  func pageLengths() throws {
    var hub = EngineFixture()
    let sessions = (0..<600).map { index in
      hub.connect(Int32(3 + index), name: String(repeating: "n", count: 255))
    }
    for index in 0..<300 {
      let name = try StoreName("s\(index).".padding(with: "x", to: 255))
      _ = hub.write(sessions[0], .set(.name(name), .data([UInt8](repeating: 1, count: 256))))
    }
    var clients: [Int32] = []
    while case .clients(let page, let more) = hub.ask(sessions[0], .clients(after: clients.last ?? -1)) {
      #expect(Message.reply(.clients(page, more: more), id: 1).frame.count <= 64 << 10)
      clients += page.map(\.session)
      if !more || page.isEmpty { break }
    }
    #expect(clients == sessions.map(\.raw))
    var names: [String] = []
    while case .listed(let page, let more) = hub.ask(
      sessions[0], .list(.everything, after: names.last ?? ""))
    {
      #expect(Message.reply(.listed(page, more: more), id: 1).frame.count <= 64 << 10)
      names += page.map(\.name)
      if !more || page.isEmpty { break }
    }
    #expect(names.count == 300)
  }

  @Test("creating and removing without ever listing keeps the order of names small")
  func churn() {
    var hub = EngineFixture()
    let session = hub.connect()
    for _ in 0..<20_000 {
      _ = hub.write(session, .set("a", .integer(1)))
      _ = hub.write(session, .remove("a"))
    }
    _ = hub.write(session, .set("b", .integer(1)))
    guard case .listed(let page, _) = hub.ask(session, .list(.everything)) else { return }
    #expect(page.map(\.name) == ["b"])
  }

  @Test("a description tells schema, value, watchers, lifetime and owner")
  func description() {
    var hub = EngineFixture()
    let session = hub.connect()
    let schema = Schema(
      type: .integer, minimum: .integer(0), maximum: .integer(9), choices: [.integer(1), .integer(2)],
      description: "how loud")
    _ = hub.write(session, .create(try! StoreName("a.b"), schema))
    _ = hub.write(
      session, .set("a.b", .integer(2), lifetime: Lifetime(ttl: 5000, ephemeral: true)))
    _ = hub.ask(session, .watch([try! NamePattern("a.*"), try! NamePattern("a.b"), try! NamePattern("z")]))
    guard case .described(let description) = hub.ask(session, .describe("a.b")) else {
      return #expect(Bool(false), "not described")
    }
    #expect(description.name == "a.b")
    #expect(description.schema.description == "how loud" && description.schema.initial == .integer(1))
    #expect(description.state.value == .integer(2) && description.state.uid == 1000)
    #expect(description.watchers == 2)
    #expect(description.ttl == 5000 && description.owner == session.raw)
    #expect(description.durability == .volatile && !description.declared)
  }

  @Test("clients are listed in pages, with names and watches")
  func clients() {
    var hub = EngineFixture()
    let sessions = (3..<13).map { hub.connect(Int32($0)) }
    _ = hub.ask(sessions[0], .watch([.everything]))
    guard case .clients(let first, let more) = hub.ask(sessions[0], .clients(limit: 4)) else { return }
    #expect(first.map(\.session) == [3, 4, 5, 6] && more)
    #expect(first[0].name == "fixture" && first[0].watches == 1 && first[0].peer.pid == 42)
    guard case .clients(let rest, let end) = hub.ask(sessions[0], .clients(after: 6, limit: 100)) else {
      return
    }
    #expect(rest.count == 6 && !end)
  }

  @Test("an unknown kind, a second hello and a broken frame are answered, and the session lives on")
  func errors() {
    var hub = EngineFixture()
    let session = hub.connect()
    var unknown = [UInt8](repeating: 0, count: 12)
    unknown[4] = 0x3F
    #expect(hub.ask(session, unknown).reply.errorCode == .unknownKind)
    #expect(hub.ask(session, .hello(name: "again")).errorCode == .malformed)
    unknown[4] = 0x04
    #expect(hub.ask(session, unknown).reply.errorCode == .malformed)
    #expect(hub.ask(session, .get("nothing")).errorCode == .noSuchStore)
    guard case .pong = hub.ask(session, .ping) else { return #expect(Bool(false), "no pong") }
  }

  @Test("a first frame that is not a hello, or of another version, ends the session with the reason")
  func greeting() {
    var hub = EngineFixture()
    hub.engine.open(SessionID(raw: 8), peer: Peer(pid: 1, uid: 1, gid: 1), now: hub.now)
    var frame = OutputBuffer()
    Request.ping.encode(into: &frame, id: 1)
    let (reply, receipt) = hub.ask(SessionID(raw: 8), frame.array)
    #expect(reply.errorCode == .helloExpected && receipt == .close)
    frame.clear()
    Request.hello(minimumVersion: 9, maximumVersion: 12, name: "future").encode(into: &frame, id: 1)
    #expect(hub.ask(SessionID(raw: 8), frame.array).reply.errorCode == .unsupportedVersion)
  }

  @Test("declared stores cannot be removed or redefined at run time, and the declaration wins")
  func declarations() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("volume", .integer(70)))
    _ = hub.write(session, .set("mode", .integer(1)))
    let notes = try hub.engine.declare(
      [
        (StoreName("volume"), Schema(type: .integer, maximum: .integer(10))),
        (StoreName("mode"), Schema(type: .string, initial: .string("day"))),
        (StoreName("fresh"), Schema(type: .boolean)),
      ], now: hub.now)
    #expect(notes.count == 2)
    #expect(hub.ask(session, .get("volume")).state?.value == .integer(70))
    #expect(hub.write(session, .set("volume", .integer(71))).errorCode == .outOfRange)
    #expect(hub.ask(session, .get("mode")).state?.value == .string("day"))
    #expect(hub.write(session, .remove("fresh")).errorCode == .declared)
    #expect(
      hub.write(session, .create(try StoreName("fresh"), Schema(type: .integer))).errorCode == .declared)
    #expect(throws: HubError.self) {
      try hub.engine.declare(
        [(StoreName("x"), Schema(type: .integer, minimum: .integer(2), maximum: .integer(1)))], now: hub.now)
    }
    #expect(
      hub.write(session, .remove("fresh")).errorCode == .declared, "a refused declaration changes nothing")
    _ = try hub.engine.declare([], now: hub.now)
    #expect(hub.write(session, .remove("fresh")).result?.changed == true)
  }
}

extension String {
  fileprivate func padding(with character: Character, to length: Int) -> String {
    self + String(repeating: character, count: length - count)
  }
}
