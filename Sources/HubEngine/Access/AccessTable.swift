// Decides on access, as a pure table of users, owners, names and rights. It has no sessions and no stores.

package import HubCore

/// Why a request is allowed or not.
package struct AccessDecision: Hashable, Sendable {
  package var isAllowed: Bool
  /// The rule that decides; nil: root and the hub's own user need none.
  package var rule: AccessRule?
  /// The part of the rule that grants the right.
  package var grant: AccessGrant?
}

/// The rules of a hub, most specific first, so that the first one that matches a name decides.
///
/// Of two patterns the more specific one is found by comparing them component by component, from the left: a literal comes
/// before `*`, `*` before the pattern's end, the end before `**`. Equal ones are in the configuration's order, before the hub's own;
/// the default access is last.
package struct AccessTable: Sendable {
  package let rules: AccessRules
  /// The configuration's and the hub's own; the last one is the default access.
  package let ranked: [AccessRule]
  private let trie: RuleTrie
  /// The programs that rules name. Others need not be distinguished.
  private let programs: [ProgramKind: Set<String>]
  private let hubUser: UInt32
  private let hubGroup: UInt32

  /// - Parameters:
  ///   - user: the user that the hub runs as.
  ///   - group: its group; the default access `members` concerns its members.
  package init(_ rules: AccessRules, user: UInt32, group: UInt32) {
    self.rules = rules
    hubUser = user
    hubGroup = group
    // Stable: equal ones keep their order.
    let order = (rules.rules + [.providers]).enumerated().sorted { a, b in
      let (left, right) = (a.element.pattern.specificity, b.element.pattern.specificity)
      return left == right ? a.offset < b.offset : right.lexicographicallyPrecedes(left)
    }
    ranked = order.map(\.element) + [rules.defaultAccess.rule]
    trie = RuleTrie(ranked.map(\.pattern))
    var programs: [ProgramKind: Set<String>] = [:]
    for grant in ranked.flatMap(\.grants) {
      if case .program(let program) = grant.subject {
        programs[program.kind, default: []].insert(program.name)
      }
    }
    self.programs = programs
  }

  /// Some rule names a unit or an app.
  package var namesPrograms: Bool { !programs.isEmpty }

  /// Where rules name apps, a process of an app cannot pass for its user, and neither can one whose unit is unknown: an app
  /// could otherwise hide by ending the process that connected.
  func isConfined(_ origin: PeerOrigin) -> Bool {
    programs[.app] != nil && (!origin.app.isEmpty || origin.unit.isEmpty)
  }

  /// What rules name of an origin.
  func named(of origin: PeerOrigin) -> PeerOrigin {
    var named = PeerOrigin()
    for (kind, names) in programs where names.contains(origin[kind]) { named[kind] = origin[kind] }
    return named
  }

  /// The index in `ranked` of the rule that decides on a valid name.
  package func rule(for name: ByteView) -> Int { trie.rank(of: name) ?? ranked.count - 1 }

  package func isTrusted(_ identity: PeerIdentity) -> Bool { identity.isTrusted(byHubOf: hubUser) }

  /// The rights that a rule grants: on every store, and additionally on the user's own.
  package func rights(
    of identity: PeerIdentity, by rule: Int
  ) -> (anywhere: AccessRights, asOwner: AccessRights) {
    if isTrusted(identity) { return (.all, .all) }
    var rights: (anywhere: AccessRights, asOwner: AccessRights) = ([], [])
    for grant in ranked[rule].grants {
      if grant.subject == .owner { rights.asOwner.formUnion(grant.rights) }
      if names(grant.subject, identity) { rights.anywhere.formUnion(grant.rights) }
    }
    return rights
  }

  /// Decides on one right.
  ///
  /// - Parameter creator: the store's creator; for a missing store, the user who would create it.
  package func decide(
    _ right: AccessRights, on name: StoreName, createdBy creator: UInt32, for identity: PeerIdentity
  ) -> AccessDecision {
    if isTrusted(identity) { return AccessDecision(isAllowed: true) }
    let rule = ranked[Array(name.text.utf8).withByteView { self.rule(for: $0) }]
    let grant = rule.grants.first { grant in
      grant.rights.contains(right)
        && (grant.subject == .owner ? identity.owns(createdBy: creator) : names(grant.subject, identity))
    }
    return AccessDecision(isAllowed: grant != nil, rule: rule, grant: grant)
  }

  /// Whether the subject includes this user for every store.
  private func names(_ subject: AccessSubject, _ identity: PeerIdentity) -> Bool {
    switch subject {
    case .anyone: true
    case .owner: false
    case .hub: isTrusted(identity)
    case .members: identity.isMember(of: hubGroup)
    case .user(let uid, _): identity.uid == uid && uid != PeerIdentity.nobody
    case .group(let gid, _): identity.isMember(of: gid)
    case .program(let program):
      identity.origin[program.kind] == program.name && program.user.map { $0.uid == identity.uid } ?? true
    }
  }
}

extension NamePattern {
  /// Compares as text does: the greater, the more specific.
  var specificity: [UInt8] {
    components.map { component in
      switch component {
      case .literal: 3
      case .one: 2
      case .any: 0
      }
    } + [1]
  }
}
