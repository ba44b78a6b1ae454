// Nothing of a store that may not be read reaches who may not read it: two hubs are compared, of which only one has such
// stores.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Access leaks nothing", .blocking) struct AccessLeakTests {
  private static let rules = accessRules([
    ("public.**", [AccessGrant(.anyone, .all)]),
    ("public.*.hidden", []),
    ("mine.**", [AccessGrant(.owner, .all), AccessGrant(.anyone, .create)]),
    ("secret.**", [AccessGrant(.hub, .all)]),
  ])

  /// What a client can see, but for counts that are the whole hub's: revisions, and the numbers of stores.
  private static func shape(_ value: some Any) -> String {
    var text = ""
    for character in "\(value)" where !(character.isNumber && text.last == "#") {
      text.append(character.isNumber ? "#" : character)
    }
    return text
  }

  private static func name(_ random: inout SeededGenerator, _ prefixes: [String]) -> String {
    let prefix = prefixes.randomElement(using: &random)!
    return prefix + ["x", "y", "x.hidden", "y.hidden", "z.deep"].randomElement(using: &random)!
  }

  private static func write(_ name: String, _ random: inout SeededGenerator) -> WriteOperation {
    let store = try! StoreName(name)
    let value = Value.string(["one", "two", "three"].randomElement(using: &random)!)
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<4: return .set(.name(store), value)
    case 4: return .set(.name(store), value, condition: WriteCondition(absent: true))
    case 5: return .create(store, Schema(type: .string, initial: .string("initial")))
    case 6: return .reset(.name(store))
    default: return .remove(.name(store))
    }
  }

  private static func request(_ random: inout SeededGenerator) -> Request {
    let name = name(&random, ["public.", "secret."])
    let store = StoreReference.name(try! StoreName(name))
    switch Int.random(in: 0..<13, using: &random) {
    case 12: return .monitor()
    case 11: return .log(.everything)
    case 10: return .access(try! StoreName(name))
    case 0: return .get(store)
    case 1: return .describe(store)
    case 2: return .list(.everything, limit: 2)
    case 3: return .list(try! NamePattern("*.x.**"))
    case 4: return .clients()
    case 5: return .stats
    case 6: return .transaction([write(name, &random), write("public.x", &random)])
    case 7:
      let pattern = ["**", name, "secret.**", "public.*", "**.hidden"].randomElement(using: &random)!
      return .watch([try! NamePattern(pattern)], policy: Bool.random(using: &random) ? .every : .latest)
    default: return .write(write(name, &random))
    }
  }

  @Test(
    "a client sees the same whether the stores that it may not read change or do not exist",
    arguments: UInt64(0)..<24)
  func same(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func fixture() -> EngineFixture {
      EngineFixture { options in
        options.access = Self.rules
        options.uid = 7
        options.historyBytes = 1 << 20
      }
    }
    var full = fixture()
    var bare = fixture()
    let root = full.connect(1, uid: 0)
    _ = bare.connect(1, uid: 0)
    let alice = full.connect(2, uid: 1000)
    _ = bare.connect(2, uid: 1000)
    var seen = 0
    for _ in 0..<300 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        // Only one of the two hubs has it.
        let name = Self.name(&random, ["secret.", "mine.", "public.x.hidden"])
          .replacing("hiddenx", with: "hidden").replacing("hiddeny", with: "hidden")
        let hidden = name.hasPrefix("public") ? "public.x.hidden" : name
        _ = full.ask(root, .write(Self.write(hidden, &random)))
      case 2:
        let write = Self.write(
          ["public.x", "public.y", "public.z.deep"].randomElement(using: &random)!, &random)
        let replies = (full.ask(root, .write(write)), bare.ask(root, .write(write)))
        #expect(Self.shape(replies.0) == Self.shape(replies.1))
      case 3, 4:
        let request = Self.request(&random)
        let replies = (full.ask(alice, request), bare.ask(alice, request))
        #expect(Self.shape(replies.0) == Self.shape(replies.1), "\(request)")
      default:
        let events = (full.turn()[2] ?? [], bare.turn()[2] ?? [])
        #expect(Self.shape(events.0) == Self.shape(events.1))
        seen += events.0.count
      }
    }
    #expect(seen > 0)
  }

  @Test(
    "every view ends on the stores that its user may read, whatever rules came and went",
    arguments: UInt64(0)..<24)
  func views(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parts = ["a", "b", "a.c", "b.c"]
    let users: [UInt32] = [0, 1000, 1001, 1002]
    func rules(_ random: inout SeededGenerator) -> AccessRules {
      if Int.random(in: 0..<6, using: &random) == 0 { return AccessRules() }
      let subjects: [AccessSubject] = [
        .anyone, .owner, .hub, .user(1000, name: "1000"), .group(55, name: "55"),
      ]
      return accessRules(
        ["a.**", "**", "*.c", "b"].filter { _ in Bool.random(using: &random) }.map { pattern in
          (
            pattern,
            subjects.filter { _ in Bool.random(using: &random) }.map {
              AccessGrant($0, Bool.random(using: &random) ? [.read] : .all)
            }
          )
        }, defaultAccess: DefaultAccess.allCases.randomElement(using: &random)!)
    }
    var present = rules(&random)
    var fixture = EngineFixture { options in
      options.access = present
      options.uid = 7
      options.rememberedRemovals = 3
    }
    var views: [WatchView] = []
    for (index, uid) in users.enumerated() {
      let session = fixture.connect(Int32(index), uid: uid)
      let pattern = try NamePattern(index == 3 ? "**.c" : "**")
      _ = fixture.ask(session, .watch([pattern], policy: index == 1 ? .every : .latest))
      if index == 2 { _ = fixture.ask(session, .watch([try NamePattern("a")])) }
      var view = WatchView()
      _ = view.open(epoch: fixture.engine.epoch)
      views.append(view)
    }
    var creators: [String: UInt32] = [:]
    var isGrouped = false
    for _ in 0..<150 {
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let name = parts.randomElement(using: &random)!
        let store = StoreReference.name(try StoreName(name))
        let user = Int.random(in: 0..<users.count, using: &random)
        let session = SessionID(raw: Int32(user))
        let isRemoval = Int.random(in: 0..<4, using: &random) == 0
        let reply = fixture.write(
          session, isRemoval ? .remove(store) : .set(store, .integer(Int64.random(in: 0..<9, using: &random)))
        )
        guard reply.errorCode == nil else { continue }
        if isRemoval { creators[name] = nil } else if creators[name] == nil { creators[name] = users[user] }
      }
      if Int.random(in: 0..<8, using: &random) == 0 {
        read(fixture.turn(), &views)
        let others = rules(&random)
        // Only then does the test say which groups there are.
        if others != present { isGrouped = true }
        present = others
        fixture.engine.setAccess(present) { $0.raw == 3 ? [55] : [] }
      }
      // Whose connection takes nothing catches up later.
      let paused = SessionID(raw: Int32.random(in: 0..<4, using: &random))
      if Bool.random(using: &random) { fixture.engine.pauseDelivery(to: paused) }
      read(fixture.turn(), &views)
      for raw in 0..<4 as Range<Int32> { fixture.engine.resumeDelivery(to: SessionID(raw: raw)) }
      read(fixture.turn(), &views)
      let table = AccessTable(present, user: 7, group: 0)
      for (index, uid) in users.enumerated() {
        let groups: [UInt32] = index == 3 && isGrouped ? [55] : []
        let who = PeerIdentity(uid: uid, gid: 100, groups: groups)
        let expected = creators.filter { name, creator in
          (index != 3 || name.hasSuffix(".c"))
            && table.decide(.read, on: try! StoreName(name), createdBy: creator, for: who).isAllowed
        }
        let found = views[index].introduction().map(\.name).sorted()
        if found != expected.keys.sorted() {
          Issue.record("\(uid) sees \(found), and may see \(expected.keys.sorted()) by \(present)")
          return
        }
      }
    }
    #expect(fixture.engine.brokenInvariants() == [])
  }

  private func read(_ events: [Int32: [HubEvent]], _ views: inout [WatchView]) {
    for (raw, events) in events {
      for event in events { _ = views[Int(raw)].apply(event) }
    }
  }
}
