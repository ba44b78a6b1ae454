// The decision about access, compared with the plainest reading of its definition.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite struct AccessTableTests {
  private static let hub: UInt32 = 7
  private static let hubGroup: UInt32 = 70

  private static let identities = [
    PeerIdentity(uid: 0, gid: 0), PeerIdentity(uid: hub, gid: 5), PeerIdentity(uid: 1000, gid: 10),
    PeerIdentity(uid: 1001, gid: 11, groups: [70, 10]),
    PeerIdentity(uid: 1001, gid: 11, origin: PeerOrigin(unit: "a.service", userUnit: "b.service", app: "c")),
    PeerIdentity(uid: PeerIdentity.nobody, gid: 65_534),
  ]
  private static let creators: [UInt32] = [hub, 1000, 1001, PeerIdentity.nobody]
  private static let subjects: [AccessSubject] = [
    .anyone, .owner, .hub, .members, .user(1000, name: "a"), .group(10, name: "b"),
    .user(PeerIdentity.nobody, name: "n"), .group(PeerIdentity.nobody, name: "g"),
    .program(AccessProgram(.unit, "a.service")), .program(AccessProgram(.userUnit, "a.service")),
    .program(AccessProgram(.app, "c", of: .init(uid: 1000, name: "a"))),
    .program(AccessProgram(.userUnit, "b.service", of: .init(uid: 1001, name: "b"))),
  ]

  // MARK: The model

  /// Of two patterns that match the same name: whether the first is more specific.
  private static func isMoreSpecific(_ a: String, _ b: String) -> Bool {
    func weights(_ text: String) -> [Int] {
      var parts: [Substring] = []
      for part in text.split(separator: ".") where !(part == "**" && parts.last == "**") {
        parts.append(part)
      }
      return parts.map { $0 == "**" ? 0 : $0 == "*" ? 2 : 3 } + [1]
    }
    for (one, other) in zip(weights(a), weights(b)) where one != other { return one > other }
    return false
  }

  private static func model(
    _ rules: AccessRules, _ right: AccessRights, _ name: StoreName, _ creator: UInt32, _ who: PeerIdentity
  ) -> (isAllowed: Bool, origin: String) {
    var best: AccessRule?
    for rule in rules.rules where rule.pattern.matches(name) {
      if best.map({ isMoreSpecific(rule.pattern.text, $0.pattern.text) }) ?? true { best = rule }
    }
    if who.uid == 0 || who.uid == hub { return (true, "trusted") }
    guard let best else {
      switch rules.defaultAccess {
      case .open: return (right != .provide, "defaultAccess")
      case .members: return (right != .provide && who.groups.contains(hubGroup), "defaultAccess")
      case .closed: return (false, "defaultAccess")
      }
    }
    let isAllowed = best.grants.contains { grant in
      guard grant.rights.contains(right) else { return false }
      switch grant.subject {
      case .anyone: return true
      case .owner: return who.uid == creator && creator != 65_534
      case .hub: return false
      case .members: return who.groups.contains(hubGroup)
      case .user(let uid, _): return who.uid == uid && uid != 65_534
      case .group(let gid, _): return who.groups.contains(gid)
      case .program(let program):
        return who.origin[program.kind] == program.name
          && (program.user == nil || program.user?.uid == who.uid)
      }
    }
    return (isAllowed, best.origin)
  }

  private static func compare(_ rules: AccessRules, _ names: [StoreName], _ rights: [AccessRights]) -> Int {
    let table = AccessTable(rules, user: hub, group: hubGroup)
    var allowed = 0
    for name in names {
      let rule = Array(name.text.utf8).withByteView { table.rule(for: $0) }
      for who in identities {
        let sum = table.rights(of: who, by: rule)
        for creator in creators {
          for right in rights {
            let expected = model(rules, right, name, creator, who)
            let decision = table.decide(right, on: name, createdBy: creator, for: who)
            let origin =
              decision.rule.map { $0.origin.hasPrefix("defaultAccess") ? "defaultAccess" : $0.origin }
              ?? "trusted"
            let quick = sum.anywhere.union(who.owns(createdBy: creator) ? sum.asOwner : []).contains(right)
            if (decision.isAllowed, origin) != expected || quick != expected.isAllowed {
              Issue.record(
                "\(rules): \(right) on \(name) of \(creator) for \(who): \(decision), not \(expected)")
            }
            allowed += expected.isAllowed ? 1 : 0
          }
        }
      }
    }
    return allowed
  }

  private static func texts(of components: [String], upTo count: Int) -> [String] {
    var (all, last) = (components, components)
    for _ in 1..<count {
      last = last.flatMap { head in components.map { "\(head).\($0)" } }
      all += last
    }
    return all
  }

  // MARK: Tests

  @Test("any two rules decide about every short name as the definition says", .blocking)
  func exhaustive() throws {
    let names = try Self.texts(of: ["a", "b"], upTo: 3).map { try StoreName($0) }
    let patterns = try Self.texts(of: ["a", "b", "*", "**"], upTo: 2).map { try NamePattern($0) }
    var (count, allowed) = (0, 0)
    for first in patterns {
      for second in patterns {
        count += 1
        let (one, other) = (Self.subjects[count % 8], Self.subjects[(count / 8) % 8])
        let rules = AccessRules(
          defaultAccess: DefaultAccess.allCases[count % 3],
          rules: [
            AccessRule(first, [AccessGrant(one, .read)], origin: "access[0]"),
            AccessRule(second, [AccessGrant(other, [.read, .write])], origin: "access[1]"),
          ])
        allowed += Self.compare(rules, names, [.read])
      }
    }
    #expect(allowed > 5000, "the test has to see both answers")
  }

  @Test("many rules with long globs decide as the definition says", .blocking, arguments: UInt64(0)..<3)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ parts: [String], _ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in parts.randomElement(using: &random)! }
        .joined(separator: ".")
    }
    for _ in 0..<10 {
      var rules = AccessRules(defaultAccess: DefaultAccess.allCases.randomElement(using: &random)!)
      for index in 0..<Int.random(in: 0...40, using: &random) {
        let grants = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          AccessGrant(
            Self.subjects.randomElement(using: &random)!,
            AccessRights(rawValue: UInt8.random(in: 0..<32, using: &random)))
        }
        let pattern = try NamePattern(text(["a", "b", "ab", "*", "**"], 1...5))
        rules.rules.append(AccessRule(pattern, grants, origin: "access[\(index)]"))
      }
      let names = try (0..<12).map { _ in try StoreName(text(["a", "b", "ab"], 1...7)) }
      _ = Self.compare(rules, names, AccessRights.words.map(\.right))
    }
  }

  @Test("without rules everybody may do everything, and nothing has to be decided")
  func open() {
    #expect(AccessRules().isOpen)
    #expect(!AccessRules(defaultAccess: .members).isOpen)
  }

  @Test("a user whom the kernel cannot name owns nothing, and belongs to no group")
  func nobody() {
    let nobody = PeerIdentity(uid: 65_534, gid: 65_534, groups: [65_534, 20])
    #expect(!nobody.owns(createdBy: 65_534))
    #expect(nobody.groups == [20])
    #expect(!nobody.isTrusted(byHubOf: 65_534))
    #expect(!PeerIdentity.isAdministrator(65_534, of: 65_534))
  }

  @Test("a pattern covers another one exactly if it matches all of its names", .blocking)
  func coverage() throws {
    let names = try Self.texts(of: ["a", "b"], upTo: 5).map { try StoreName($0) }
    let patterns = try Self.texts(of: ["a", "*", "**"], upTo: 3).map { try NamePattern($0) }
    let matched = patterns.map { pattern in names.map { pattern.matches($0) } }
    for (one, its) in zip(patterns, matched) {
      for (other, others) in zip(patterns, matched) {
        let covers = zip(its, others).allSatisfy { $0 || !$1 }
        var work = 0
        if one.covers(other, &work) != covers { Issue.record("\(one) covers \(other): \(!covers)") }
      }
    }
  }

  @Test("a rule behind a more specific one that matches all of its names is found")
  func unreachable() throws {
    let patterns = [
      "audio.**", "**", "*.**", "statehub.*", "audio.*.**", "audio.volume", "statehub.**",
      "statehub.providers.net",
    ]
    let rules = try patterns.map { AccessRule(try NamePattern($0), [], origin: $0) }
    let (found, _) = Self.unreachable(rules)
    #expect(found.map(\.rule.origin) == ["statehub.*", "**"])
    #expect(found.map { $0.because?.origin } == [nil, "*.**"])
  }

  private static func unreachable(
    _ rules: [AccessRule]
  ) -> (found: [(rule: AccessRule, because: AccessRule?)], work: Int) {
    var work = 0
    let found = AccessTable(AccessRules(rules: rules), user: 7, group: 7).unreachable(&work)
    return (found, work)
  }

  @Test("of random rules those are found that a comparison of all pairs finds", arguments: 1...20)
  func unreachableLikeInPairs(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let texts = (0..<40).map { _ in
      (0..<Int.random(in: 1...4, using: &random)).map { _ in
        ["a", "b", "c", "*", "**"].randomElement(using: &random)!
      }.joined(separator: ".")
    }
    let rules = Set(texts).sorted().compactMap { text in
      (try? NamePattern(text)).map { AccessRule($0, [], origin: text) }
    }
    let table = AccessTable(AccessRules(rules: rules), user: 7, group: 7)
    let globs = table.ranked.filter { rule in rules.contains(rule) && !rule.pattern.isLiteral }
    var work = 0
    let pairs = globs.indices.compactMap { index in
      globs[..<index].first { $0.pattern.covers(globs[index].pattern, &work) }
        .map { "\(globs[index].origin) \($0.origin)" }
    }
    #expect(Self.unreachable(rules).found.map { "\($0.rule.origin) \($0.because?.origin ?? "")" } == pairs)
  }

  @Test("a thousand rules that begin alike, and a few with many globs in a name, take bounded work")
  func unreachableWork() throws {
    let alike = try (0..<1000).map {
      AccessRule(try NamePattern("**.b\($0).*.c\($0).**"), [], origin: "\($0)")
    }
    let (found, work) = Self.unreachable(
      alike + [AccessRule(try NamePattern("**.b7.x.c7.**"), [], origin: "x")])
    #expect(found.isEmpty && work < 10_000_000)
    // Found by the fuzzer of configurations.
    let tangled = try (0..<100).map {
      AccessRule(
        try NamePattern("a.**.b\($0 % 3).*.c.**.d\($0).**.*.c.**.*.d.**.c.**.*.c.*.**.d"), [], origin: "\($0)"
      )
    }
    #expect(Self.unreachable(tangled).work < 2 * AccessTable.mostComparing)
  }

  @Test("among ten thousand rules the one that matches decides")
  func many() throws {
    let many = try (0..<10_000).map {
      AccessRule(try NamePattern("app\($0).**"), [], origin: "access[\($0)]")
    }
    let table = AccessTable(AccessRules(rules: many), user: 7, group: 7)
    let rule = Array("app77.deep.down.here".utf8).withByteView { table.rule(for: $0) }
    #expect(table.ranked[rule].origin == "access[77]")
  }
}
