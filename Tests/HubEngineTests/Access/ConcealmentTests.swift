// What is hidden answers every request as what is missing does: stores and claims, by name and by number, alone and in
// transactions.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("What a user may not know of answers as what does not exist")
struct ConcealmentTests {
  private static let alice: UInt32 = 1000

  /// Alice may read `shown.**`, do everything with `free.**`, only write `drop.**`, and knows nothing of `secret.**`, `plain.**` and
  /// the claim `secret`.
  private static let rules = accessRules([
    ("shown.**", [AccessGrant(.anyone, .read)]),
    ("free.**", [AccessGrant(.anyone, .all)]),
    ("drop.**", [AccessGrant(.anyone, .write)]),
    ("statehub.providers.**", [AccessGrant(.user(7, name: "hub"), .read)]),
    ("statehub.providers.free", [AccessGrant(.anyone, .read)]),
  ])

  /// - Parameter claimed: providers stand behind `secret.**`, and behind `free.claimed.**`.
  private static func fixture(claimed: Bool) throws -> EngineFixture {
    var hub = EngineFixture { ($0.access, $0.uid) = (rules, 7) }
    let root = hub.connect(1, uid: 0)
    for name in ["shown.a", "secret.a", "plain.a", "free.a", "free.claimed.a", "drop.a"] {
      #expect(hub.write(root, .set(.name(try StoreName(name)), .integer(1))).errorCode == nil)
    }
    let provider = hub.connect(5, uid: 0, name: "payroll")
    if claimed {
      for (name, pattern) in [("secret", "secret.**"), ("free", "free.claimed.**")] {
        let offer = try ClaimOffer(StoreName(name), [try NamePattern(pattern)])
        #expect(hub.ask(provider, .provide(offer)).errorCode == nil)
        #expect(hub.ask(provider, .standing(try StoreName(name), .live)).errorCode == nil)
      }
    }
    _ = hub.turn()
    return hub
  }

  /// Every way to ask for a store, besides to watch it.
  private static func requests(_ store: StoreReference) -> [Request] {
    let writes: [WriteOperation] = [
      .set(store, .integer(2)), .set(store, .integer(1)), .set(store, .string("x")),
      .set(store, .integer(2), condition: WriteCondition(value: .integer(1))),
      .set(store, .integer(2), condition: WriteCondition(absent: true)),
      .set(store, .integer(2), condition: WriteCondition(revision: 2)),
      .set(store, .integer(2), lifetime: Lifetime(ttl: 5)),
      .set(store, .integer(2), lifetime: Lifetime(ephemeral: true)), .set(store, .integer(1), force: true),
      .add(store, .integer(1)), .add(store, .string("x")), .toggle(store), .reset(store), .remove(store),
      .remove(store, condition: WriteCondition(revision: 2)),
    ]
    var requests: [Request] = [.get(store), .describe(store)]
    requests += writes.map { .write($0) }
    for write in writes {
      requests.append(.transaction([write]))
      requests.append(.transaction([.set("free.a", .integer(5)), write]))
      requests.append(.transaction([.set("free.claimed.a", .integer(5)), write]))
      requests.append(.transaction([write, .set("free.claimed.a", .integer(5))]))
    }
    guard case .name(let name) = store else { return requests }
    requests += [
      .write(.create(name, Schema(type: .string))), .write(.create(name, Schema(type: .integer))),
      .write(.create(name, Schema(type: .string), ifAbsent: true)), .access(name, as: nil),
    ]
    return requests
  }

  /// The answer without what the request itself says.
  private static func answer(
    _ hub: inout EngineFixture, _ session: SessionID, _ request: Request, _ names: [String]
  ) -> String {
    var text = "\(hub.ask(session, request))"
    for name in names { text = text.replacing(name, with: "NAME") }
    return text
  }

  @Test(
    "a hidden store, by name and by number, whether a claim has it or not", arguments: [false, true],
    ["secret.a", "plain.a", "statehub.providers.secret"])
  func stores(claimed: Bool, hidden: String) throws {
    var hub = try Self.fixture(claimed: claimed)
    let alice = hub.connect(2, uid: Self.alice)
    let missing = hidden.hasPrefix("statehub") ? "statehub.providers.missing" : "nothing.a"
    // Each of the pairs is asked of a hub in the same state: all of them are refused.
    let (one, other) = (
      StoreReference.name(try StoreName(hidden)), StoreReference.name(try StoreName(missing))
    )
    for (request, twin) in zip(Self.requests(one), Self.requests(other)) {
      let answers = (
        Self.answer(&hub, alice, request, [hidden]), Self.answer(&hub, alice, twin, [missing])
      )
      #expect(answers.0 == answers.1, "\(request)")
    }
    guard let id = hub.ask(SessionID(raw: 1), .get(one)).state?.id else { return }
    let unused = StoreID(serial: 1 << 30, slot: 900)
    for (request, twin) in zip(Self.requests(.id(id)), Self.requests(.id(unused))) {
      let answers = (
        Self.answer(&hub, alice, request, ["\(id)"]), Self.answer(&hub, alice, twin, ["\(unused)"])
      )
      #expect(answers.0 == answers.1, "\(request)")
      #expect(!answers.0.contains(hidden), "\(request)")
    }
  }

  @Test("a hidden claim: to provide its stores or to use its name, and every standing")
  func claims() throws {
    var hub = try Self.fixture(claimed: true)
    let alice = hub.connect(2, uid: Self.alice)
    func ask(_ name: String, _ stores: [String]) throws -> [Request] {
      let name = try StoreName(name)
      let patterns = try stores.map { try NamePattern($0) }
      var requests: [Request] = [
        .provide(ClaimOffer(name, patterns)), .provide(ClaimOffer(name, [])),
        .provide(ClaimOffer(name, patterns, replaces: true)),
        .provide(ClaimOffer(name, patterns, waits: true)),
      ]
      for standing in [.live, .syncing, .suspended("x"), .released] as [ClaimStanding] {
        requests.append(.standing(name, standing))
      }
      return requests
    }
    for (request, twin) in zip(try ask("secret", ["secret.**"]), try ask("missing", ["missing.**"])) {
      let answers = (
        Self.answer(&hub, alice, request, ["secret"]), Self.answer(&hub, alice, twin, ["missing"])
      )
      #expect(answers.0 == answers.1, "\(request)")
    }
    // Its name cannot be used, and nothing tells why.
    let taken = hub.ask(alice, .provide(try ClaimOffer(StoreName("secret"), [NamePattern("free.mine")])))
    guard case .error(let error) = taken else { return #expect(Bool(false), "\(taken)") }
    #expect(error.code == .denied && error.message.contains("you may not provide free.mine"))
  }

  @Test("who has a claim is told only to those who may know: neither its process nor its other patterns")
  func owners() throws {
    var hub = try Self.fixture(claimed: true)
    let alice = hub.connect(2, uid: Self.alice)
    let again =
      "\(hub.ask(alice, .provide(try ClaimOffer(StoreName("free"), [NamePattern("free.claimed.**")]))))"
    #expect(again.contains("another connection already provides it"))
    #expect(!again.contains("payroll") && !again.contains("42"))
    let root = hub.connect(6, uid: 0)
    let shown =
      "\(hub.ask(root, .provide(try ClaimOffer(StoreName("free"), [NamePattern("free.claimed.**")]))))"
    #expect(shown.contains("process 42 (payroll) already provides it"))
  }

  @Test("what may be read or written is answered: by name, by number, and by its provider")
  func known() throws {
    var hub = try Self.fixture(claimed: true)
    let (root, alice) = (SessionID(raw: 1), hub.connect(2, uid: Self.alice))
    #expect(hub.ask(alice, .get("shown.a")).state != nil)
    #expect(hub.write(alice, .set("shown.a", .integer(3))).errorCode == .denied)
    let drop = try #require(hub.ask(root, .get("drop.a")).state?.id)
    #expect(hub.write(alice, .set(.id(drop), .integer(3))).result?.changed == true)
    // A provided store, by name and number, existing or new: the provider is asked, so nothing is answered yet.
    let id = try #require(hub.ask(root, .get("free.claimed.a")).state?.id)
    for store in [.id(id), "free.claimed.a", "free.claimed.new"] as [StoreReference] {
      #expect(hub.write(alice, .set(store, .integer(3))) == .unwatched, "\(store)")
    }
    #expect(hub.ask(alice, .get("free.claimed.a")).state?.value == .integer(1))
    let state = try #require(hub.ask(root, .get("statehub.providers.free")).state?.id)
    #expect(hub.write(alice, .set(.id(state), .integer(3))).errorCode == .reserved)
  }
}
