// The plainest reading of what access rules mean, which the table is compared with: see docs/security.md.

import HubCore
import HubEngine

enum RulesModel {
  /// The hub's own: how things are with providers, everybody may read.
  private static let own = AccessRule(
    try! NamePattern("statehub.providers.**"), [AccessGrant(.anyone, .read)], origin: "the hub")

  /// The most specific rule that matches; of equal ones the first; nil: the default access applies.
  static func rule(of rules: AccessRules, for name: StoreName) -> AccessRule? {
    var best: AccessRule?
    for rule in rules.rules + [own] where rule.pattern.matches(name) {
      if best.map({ isMoreSpecific(rule.pattern.text, $0.pattern.text) }) ?? true { best = rule }
    }
    return best
  }

  private static func isMoreSpecific(_ a: String, _ b: String) -> Bool {
    for (one, other) in zip(weights(a), weights(b)) where one != other { return one > other }
    return false
  }

  private static func weights(_ text: String) -> [Int] {
    var parts: [Substring] = []
    for part in text.split(separator: ".") where !(part == "**" && parts.last == "**") { parts.append(part) }
    return parts.map { $0 == "**" ? 0 : $0 == "*" ? 2 : 3 } + [1]
  }

  /// For a hub of user 7 and group 70.
  static func allows(
    _ right: AccessRights, _ rules: AccessRules, _ rule: AccessRule?, _ who: PeerIdentity,
    createdBy creator: UInt32
  ) -> Bool {
    if who.uid == 0 || who.uid == 7 { return true }
    guard let rule else {
      return switch rules.defaultAccess {
      case .open: right != .provide
      case .members: right != .provide && who.groups.contains(70)
      case .closed: false
      }
    }
    return rule.grants.contains { grant in
      guard grant.rights.contains(right) else { return false }
      return switch grant.subject {
      case .anyone: true
      case .owner: who.uid == creator && creator != 65_534
      case .hub: false
      case .members: who.groups.contains(70)
      case .user(let uid, _): who.uid == uid && uid != 65_534
      case .group(let gid, _): who.groups.contains(gid)
      // The fuzzer's users run no units.
      case .program: false
      }
    }
  }
}
