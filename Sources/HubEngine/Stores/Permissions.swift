// Access to the stores: the rules, and the rights of connected clients. Rights are decided once for all sessions of one identity (an audience), and
// looked up by the store's rule: two loads per request, whatever the number of rules.

import HubCore

/// The index of an audience. `Permissions.everything` may do everything: the hub's own user, root, and all clients of the hub's
/// own socket if there are no rules.
typealias AudienceIndex = Int32

/// Invariant: with rules, every session that is not trusted belongs to the audience of its identity, and every store's
/// `rule` is the one that decides on its name. Where sockets have prefixes, each rule is there once for each of their
/// zones.
struct Permissions: ~Copyable {
  private struct Audience {
    var identity: PeerIdentity
    /// How many sessions it has. At zero the index is free.
    var sessions: Int
  }

  /// Nil: there are no rules.
  private(set) var table: AccessTable?
  private var audiences: [Audience?] = [nil]
  private var indices: [PeerIdentity: AudienceIndex] = [:]
  private var free: [AudienceIndex] = []
  /// By audience, then by rule: the rights on every store in the low byte, those on one's own in the high one.
  private var rights = Table<UInt16>()
  /// By audience: whose stores are its own; `UInt64.max`: none.
  private var creators = Table<UInt64>()
  private let zones: NameZones
  private let ruleCount: Int
  /// The rights before this revision are unknown: bookmarks up to here are not resumed for users that rules apply to.
  var floor: Revision = 0
  /// By bookmark, since when all clients of the hub's own socket may read everything; `.max`: not at the moment.
  /// Earlier bookmarks are resumed only by clients above all rules.
  var openFrom: Revision
  let user: UInt32

  static let everything: AudienceIndex = 0

  init(_ rules: AccessRules, user: UInt32, group: UInt32) {
    self.user = user
    openFrom = rules.isOpen ? 0 : .max
    table = rules.isOpen && rules.sockets.isEmpty ? nil : AccessTable(rules, user: user, group: group)
    zones = NameZones(rules.sockets)
    ruleCount = (table?.ranked.count ?? 0) * zones.count
    for _ in 0..<ruleCount { rights.append(UInt16(AccessRights.all.rawValue) * 0x0101) }
    creators.append(.max)
  }

  // MARK: Audiences

  /// The audience of an identity, with one session more.
  ///
  /// - Parameter work: raised by what a new audience costs: a look at each rule, and an entry for each of its zones. Measured: 1.5 ms
  ///   with 10,000 rules.
  mutating func enter(_ identity: PeerIdentity, work: inout Int) -> AudienceIndex {
    guard let table, !table.isTrusted(identity), identity.limit != nil || !table.rules.isOpen else {
      return Permissions.everything
    }
    if let index = indices[identity] {
      audiences[Int(index)]!.sessions += 1
      return index
    }
    let audience = Audience(identity: identity, sessions: 1)
    let index: AudienceIndex
    if let free = free.popLast() {
      index = free
      audiences[Int(index)] = audience
    } else {
      index = AudienceIndex(audiences.count)
      audiences.append(audience)
      creators.append(.max)
      for _ in 0..<ruleCount { rights.append(0) }
    }
    work &+= Cost.node &* table.ranked.count &+ Cost.passed &* ruleCount
    var entry = Int(index) * ruleCount
    for rule in table.ranked.indices {
      let granted = table.rights(of: identity, by: rule)
      for zone in 0..<zones.count {
        let (anywhere, asOwner) = limited(granted, identity.limit, zone: zone)
        rights[entry] = UInt16(anywhere.rawValue) | UInt16(asOwner.rawValue) << 8
        entry += 1
      }
    }
    creators[Int(index)] = identity.owns(createdBy: identity.uid) ? UInt64(identity.uid) : .max
    indices[identity] = index
    return index
  }

  private func limited(
    _ rights: (anywhere: AccessRights, asOwner: AccessRights), _ limit: SocketLimit?, zone: Int
  ) -> (anywhere: AccessRights, asOwner: AccessRights) {
    guard let limit else { return rights }
    if !zones.isZone(zone, below: limit.prefix) { return ([], []) }
    return (rights.anywhere.intersection(limit.rights), rights.asOwner.intersection(limit.rights))
  }

  /// The audience's identity; nil: it may do everything.
  func identity(of index: AudienceIndex) -> PeerIdentity? { audiences[Int(index)]?.identity }

  /// What limits an audience besides the rules.
  func limit(of index: AudienceIndex) -> SocketLimit? { audiences[Int(index)]?.identity.limit }

  /// A session of the audience has ended.
  mutating func leave(_ index: AudienceIndex) {
    if index == Permissions.everything { return }
    audiences[Int(index)]!.sessions -= 1
    if audiences[Int(index)]!.sessions > 0 { return }
    indices[audiences[Int(index)]!.identity] = nil
    audiences[Int(index)] = nil
    free.append(index)
  }

  /// Whether what a session could read at its bookmark is what it may read now.
  ///
  /// - Parameter peer: the session's, which the audience with all rights does not remember.
  func knows(what audience: AudienceIndex, of peer: Peer, couldReadAt bookmark: Revision) -> Bool {
    if audience != Permissions.everything { return bookmark > floor }
    return bookmark >= openFrom || PeerIdentity(peer).isTrusted(byHubOf: user)
  }

  /// These rules replace others.
  ///
  /// - Parameter revision: the last one of the others.
  mutating func follow(openFrom before: Revision, at revision: Revision) {
    floor = revision
    if openFrom != .max { openFrom = before == .max ? revision + 1 : before }
  }

  // MARK: Deciding

  /// The number of the rule that decides on a valid name.
  func rule(for name: ByteView) -> Int32 {
    table.map { Int32($0.rule(for: name) * zones.count + zones.zone(of: name)) } ?? 0
  }

  /// What an audience may do with a store of that rule and creator.
  @inline(__always)
  func rights(of audience: AudienceIndex, rule: Int32, createdBy creator: UInt32) -> AccessRights {
    if audience == Permissions.everything { return .all }
    var granted = rights[Int(audience) &* ruleCount &+ Int(rule)]
    if creators[Int(audience)] == UInt64(creator) { granted |= granted >> 8 }
    return AccessRights(rawValue: UInt8(truncatingIfNeeded: granted))
  }

  /// Which stores of one rule an audience may read.
  enum Reading: Equatable {
    case all
    case created(by: UInt64)
    case none

    func includes(createdBy creator: UInt32) -> Bool {
      switch self {
      case .all: true
      case .created(let own): own == UInt64(creator)
      case .none: false
      }
    }
  }

  func reading(by audience: AudienceIndex, rule: Int32) -> Reading {
    if audience == Permissions.everything { return .all }
    let granted = rights[Int(audience) &* ruleCount &+ Int(rule)]
    let read = UInt16(AccessRights.read.rawValue)
    if granted & read != 0 { return .all }
    let own = creators[Int(audience)]
    return granted >> 8 & read != 0 && own != .max ? .created(by: own) : .none
  }

  /// Whether an audience may do that with all stores of a rule, regardless of their creators.
  @inline(__always)
  func grant(_ right: AccessRights, to audience: AudienceIndex, rule: Int32) -> Bool {
    let right = UInt16(right.rawValue)
    return rights[Int(audience) &* ruleCount &+ Int(rule)] & right == right
  }

  /// What an audience may do with a store that it would create.
  func rights(of audience: AudienceIndex, toNew name: ByteView) -> AccessRights {
    guard let identity = audiences[Int(audience)]?.identity else { return .all }
    return rights(of: audience, rule: rule(for: name), createdBy: identity.uid)
  }

  /// Why the audience may not do something, as a message. It reveals only the name of the store.
  ///
  /// - Parameter isVisible: it may read the store. If not, the message hides which rule decides: that can be the
  ///   declaration of a store that does not exist for the audience.
  func refusal(to verb: String, name: ByteView, _ audience: AudienceIndex, isVisible: Bool) -> HubError {
    let rule = isVisible ? table?.ranked[Int(rule(for: name)) / zones.count] : nil
    var reason = rule.map { "\($0.origin) (\($0.pattern)) decides" } ?? "no access rule of the hub allows it"
    if let limit = limit(of: audience), let words = AccessExplanation.Socket(limit).limits {
      reason += ", and at the socket \(limit.name) \(words)"
    }
    return HubError(.denied, store: name.text, "you may not \(verb) it: \(reason)")
  }
}

extension StoreRecord {
  /// The creator of stores that belong to the hub: those that its configuration declares, and those without a known creator.
  static let byHub = UInt32.max
}

// MARK: - The only way from a request to a store

extension Stores {
  /// The store that a request names, for a use that takes `right`. Nil if there is none, and also if the audience may not read
  /// it: the two look alike. Every request comes to its store through here. Mutating, so that the call copies nothing.
  ///
  /// - Throws: `denied` if the store may be read, but not used like that.
  @inline(__always)
  mutating func find(
    _ key: StoreKey, for audience: AudienceIndex, to right: AccessRights
  ) throws(HubError) -> Int? {
    guard let slot = locate(key) else { return nil }
    if audience == Permissions.everything || permissions.grant(right, to: audience, rule: self[slot].rule) {
      return slot
    }
    return try check(slot, audience, right)
  }

  @inline(never)
  private mutating func check(
    _ slot: Int, _ audience: AudienceIndex, _ right: AccessRights
  ) throws(HubError) -> Int? {
    let rights = rights(of: audience, to: slot)
    if rights.isSuperset(of: right) { return slot }
    if !rights.contains(.read) { return nil }
    let missing = right.subtracting(rights)
    throw permissions.refusal(to: "\(missing)", name: name(of: slot), audience, isVisible: true)
  }

  /// Whether a name that `find` has not found may be created.
  ///
  /// - Throws: `denied` if not; so that a store that may not be read answers like one that may not be created, also if it is
  ///   taken.
  @inline(__always)
  mutating func checkCreation(of name: ByteView, for audience: AudienceIndex) throws(HubError) {
    if audience != Permissions.everything { try checkNew(name, audience) }
  }

  @inline(never)
  private mutating func checkNew(_ name: ByteView, _ audience: AudienceIndex) throws(HubError) {
    guard permissions.rights(of: audience, toNew: name).contains(.create), find(name) == nil else {
      throw permissions.refusal(to: "create", name: name, audience, isVisible: false)
    }
  }

  @inline(__always)
  func rights(of audience: AudienceIndex, to slot: Int) -> AccessRights {
    permissions.rights(of: audience, rule: self[slot].rule, createdBy: self[slot].creator)
  }

  /// Whether the store exists for the audience.
  @inline(__always)
  func isVisible(_ slot: Int, to audience: AudienceIndex) -> Bool {
    audience == Permissions.everything || rights(of: audience, to: slot).contains(.read)
  }

  /// Whether the audience may see a removal.
  func isVisible(_ removal: Removals.Entry, to audience: AudienceIndex) -> Bool {
    permissions.rights(of: audience, rule: removal.rule, createdBy: removal.creator).contains(.read)
  }
}
