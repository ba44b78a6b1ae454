// Who may provide what: patterns that have names in common, rules that give the right on all names, declarations, limits.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The right to provide") struct ClaimRightTests {
  @Test("two patterns meet exactly if there is a name that both match")
  func meeting() throws {
    var names: [StoreName] = []
    var texts = ["a", "b", "*", "**"]
    var last = ["a", "b", "c"]
    for _ in 0..<5 {
      names += try last.map { try StoreName($0) }
      last = last.flatMap { head in ["a", "b", "c"].map { "\(head).\($0)" } }
    }
    let parts = texts
    for _ in 0..<2 {
      texts += texts.flatMap { head in parts.map { "\(head).\($0)" } }.filter { !texts.contains($0) }
    }
    let patterns = Set(texts.filter { $0.split(separator: ".").count <= 3 }).sorted()
    let matched = try patterns.map { text in
      let pattern = try NamePattern(text)
      return (pattern: pattern, names: Set(names.filter { pattern.matches($0) }.map(\.text)))
    }
    #expect(matched.count == 84)
    for (pattern, own) in matched {
      for (other, others) in matched where pattern.meets(other) == own.isDisjoint(with: others) {
        Issue.record("\(pattern) and \(other): \(own.isDisjoint(with: others))")
      }
    }
  }

  private static let user: UInt32 = 1000

  private func mayProvide(_ patterns: [String], _ rules: AccessRules, uid: UInt32 = user) throws -> Bool {
    var hub = EngineFixture { ($0.uid, $0.access) = (7, rules) }
    let session = hub.connect(3, uid: uid)
    let offer = try ClaimOffer(StoreName("x"), patterns.map { try NamePattern($0) })
    let code = hub.ask(session, .provide(offer)).errorCode
    #expect(code == nil || code == .denied)
    return code == nil
  }

  @Test("rules have to give it on every name that the patterns match")
  func rules() throws {
    let grant = [AccessGrant(.user(Self.user, name: "alice"), [.read, .provide])]
    let rules = accessRules([
      ("dev.**", grant), ("dev.secret.**", [AccessGrant(.anyone, .read)]), ("one", grant),
    ])
    for patterns in [["dev.a.**"], ["dev.a"], ["dev.a.*.x"], ["one"], ["one", "dev.a"], ["dev"]] {
      #expect(try mayProvide(patterns, rules), "\(patterns)")
    }
    for patterns in [
      ["dev.**"], ["dev.*.x"], ["dev.secret.x"], ["**"], ["other"], ["*"], ["one", "dev.secret"],
    ] {
      #expect(try !mayProvide(patterns, rules), "\(patterns)")
    }
    #expect(try !mayProvide(["dev.a"], rules, uid: 1001))
    #expect(try mayProvide(["**"], rules, uid: 7))
    #expect(try mayProvide(["**"], rules, uid: 0))
  }

  @Test("no default access gives it, nor a hub without rules; nobody is nobody")
  func defaults() throws {
    for access in DefaultAccess.allCases {
      #expect(try !mayProvide(["a"], accessRules([], defaultAccess: access)))
      #expect(try !mayProvide(["a"], accessRules([("b", [])], defaultAccess: access)))
    }
    let rules = accessRules([("a", [AccessGrant(.anyone, .all)])])
    #expect(try mayProvide(["a"], rules))
    #expect(try !mayProvide(["a"], AccessRules(), uid: 65_534))
  }

  @Test("a declaration names who may, is there without anybody, and stays when it is released")
  func declared() throws {
    var hub = EngineFixture { $0.uid = 7 }
    let name = try StoreName("dev")
    var declaration = ProviderDeclaration(
      name, [try NamePattern("dev.**")], users: [.init(uid: Self.user, name: "alice")], description: "devices"
    )
    hub.engine.declare(providers: [declaration], now: hub.now)
    let (alice, bob) = (hub.connect(3, uid: Self.user), hub.connect(4, uid: 1001))
    #expect(hub.write(bob, .set("dev.x", .integer(1))).errorCode == .unavailable)
    #expect(hub.ask(bob, .provide(ClaimOffer(name, []))).errorCode == .denied)
    #expect(hub.ask(alice, .provide(ClaimOffer(name, [try NamePattern("other")]))).errorCode == .declared)
    #expect(hub.ask(alice, .provide(ClaimOffer(name, []))).errorCode == nil)
    #expect(hub.ask(alice, .standing(name, .released)).errorCode == nil)
    #expect(hub.write(bob, .set("dev.x", .integer(1))).errorCode == .unavailable)
    // Its patterns change with the configuration, and without it a vacant one ends.
    declaration.patterns = [try NamePattern("new.**")]
    hub.engine.declare(providers: [declaration], now: hub.now)
    #expect(hub.write(bob, .set("dev.x", .integer(1))).result?.changed == true)
    #expect(hub.write(bob, .set("new.x", .integer(1))).errorCode == .unavailable)
    hub.engine.declare(providers: [], now: hub.now)
    #expect(hub.write(bob, .set("new.x", .integer(1))).result?.changed == true)
    #expect(hub.ask(bob, .get("statehub.providers.dev")).errorCode == .noSuchStore)
  }

  @Test("a declaration takes names from who has claimed them at run time, and is told so")
  func takenOver() throws {
    var claim = try ClaimFixture()
    let declaration = ProviderDeclaration(
      try StoreName("net"), [try NamePattern("dev.net.*"), try NamePattern("net")])
    claim.hub.engine.declare(providers: [declaration], now: claim.hub.now)
    let told = claim.deal()
    #expect(told.contains { $0.message == .event(.withdraw(ticket: 0, claim: 1, .claimEnded)) })
    #expect(claim.hub.write(claim.writer, .set("dev.net.x", .integer(1))).errorCode == .unavailable)
    #expect(claim.hub.write(claim.writer, .set("dev.x", .integer(1))).result?.changed == true)
  }

  @Test("claims and waiting writes are limited, and what is answered counts to nobody any more")
  func limits() throws {
    var claim = try ClaimFixture()
    for number in 0..<(Claims.mostOfUser - 1) {
      let offer = try ClaimOffer(StoreName("c\(number)"), [NamePattern("c\(number).**")])
      #expect(claim.hub.ask(claim.provider, .provide(offer)).errorCode == nil)
    }
    let one = try ClaimOffer(StoreName("more"), [NamePattern("more")])
    #expect(claim.hub.ask(claim.provider, .provide(one)).errorCode == .quota)
    let before = claim.hub.engine.stores.accounts[1000].bytes
    for number in 0..<Claim.mostWaiting { _ = try claim.set("dev.x", .integer(Int64(number))) }
    #expect(claim.hub.engine.stores.accounts[1000].bytes > before + 512 * 1024)
    #expect(claim.hub.write(claim.writer, .set("dev.x", .integer(1))).errorCode == .unavailable)
    claim.hub.close(claim.provider)
    #expect(claim.deal().count == Claim.mostWaiting)
    #expect(claim.hub.engine.stores.accounts[1000].bytes == before)
  }

  @Test("whoever may connect may read how things are with providers, unless a rule says otherwise")
  func states() throws {
    let rules = [
      AccessRule(try NamePattern("dev.**"), [AccessGrant(.anyone, .read)], origin: "access[0]"),
      AccessRule(
        try NamePattern("statehub.providers.secret"), [AccessGrant(.user(Self.user, name: "alice"), .read)],
        origin: "access[1]"),
    ]
    var hub = EngineFixture {
      $0.uid = 7
      $0.access = AccessRules(defaultAccess: .closed, rules: rules)
    }
    let declarations = try ["dev", "secret"].map {
      ProviderDeclaration(try StoreName($0), [try NamePattern("\($0).**")])
    }
    hub.engine.declare(providers: declarations, now: hub.now)
    let (alice, bob) = (hub.connect(3, uid: Self.user), hub.connect(4, uid: 1001))
    #expect(hub.ask(bob, .get("statehub.providers.dev")).errorCode == nil)
    #expect(hub.ask(bob, .get("statehub.providers.secret")).errorCode == .noSuchStore)
    #expect(hub.ask(alice, .get("statehub.providers.secret")).errorCode == nil)
  }
}
