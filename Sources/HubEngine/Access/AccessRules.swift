// The access rules as in a configuration: the rights of users and programs on names. `AccessTable` decides.

package import HubCore

/// The users that a rule names.
package enum AccessSubject: Hashable, Sendable {
  /// All users who can connect.
  case anyone
  /// The user who created the store.
  case owner
  /// The hub's own user and root, who may do everything anyway: a list without any other user.
  case hub
  /// The members of the hub's own group.
  case members
  /// `name` is as in the configuration: a name or a number.
  case user(UInt32, name: String)
  case group(UInt32, name: String)
  case program(AccessProgram)

  /// The subjects that are a word.
  package static let words: [(word: String, subject: AccessSubject)] = [
    ("anyone", .anyone), ("owner", .owner), ("hub", .hub), ("members", .members),
  ]
}

extension AccessSubject: CustomStringConvertible {
  package var description: String {
    switch self {
    case .anyone: "anyone"
    case .owner: "owner"
    case .hub: "hub"
    case .members: "members"
    case .user(_, let name): "user:\(name)"
    case .group(_, let name): "group:\(name)"
    case .program(let program):
      "\(program.kind.rawValue):\(program.user.map { "\($0.name)/" } ?? "")\(program.name)"
    }
  }
}

/// A unit or an app that a rule names.
package struct AccessProgram: Hashable, Sendable {
  package struct User: Hashable, Sendable {
    package var uid: UInt32
    /// As in the configuration: a name or a number.
    package var name: String

    package init(uid: UInt32, name: String) { (self.uid, self.name) = (uid, name) }
  }

  package var kind: ProgramKind
  package var name: String
  /// Only of this user; nil: of any user.
  package var user: User?

  package init(_ kind: ProgramKind, _ name: String, of user: User? = nil) {
    (self.kind, self.name, self.user) = (kind, name, user)
  }
}

/// The rights that a rule grants to one subject.
package struct AccessGrant: Hashable, Sendable {
  package var subject: AccessSubject
  package var rights: AccessRights

  package init(_ subject: AccessSubject, _ rights: AccessRights) {
    self.subject = subject
    self.rights = rights
  }
}

/// All rights on the names that match a pattern. Users who are not named have none.
package struct AccessRule: Hashable, Sendable {
  package var pattern: NamePattern
  package var grants: [AccessGrant]
  /// Where it is written, for example `access[2]`.
  package var origin: String

  package init(_ pattern: NamePattern, _ grants: [AccessGrant], origin: String) {
    self.pattern = pattern
    self.grants = grants
    self.origin = origin
  }
}

extension AccessRule {
  /// Users who may read a value may also read its provider's state: otherwise a stale value would look fresh. A rule of the
  /// configuration for the same names comes before it.
  static let providers = AccessRule(.providers, [AccessGrant(.anyone, .read)], origin: "the hub")
}

/// The rights on names that no rule matches.
package enum DefaultAccess: UInt8, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  /// Anyone may do everything but `provide`.
  case open = 0
  /// Members of the hub's own group may do everything but `provide`, others nothing.
  case members = 1
  /// Only the hub's own user and root may do anything.
  case closed = 2

  package var description: String {
    switch self {
    case .open: "open"
    case .members: "members"
    case .closed: "closed"
    }
  }

  /// It as a rule that matches every name.
  var rule: AccessRule {
    let grants: [AccessGrant] =
      switch self {
      case .open: [AccessGrant(.anyone, .ordinary)]
      case .members: [AccessGrant(.members, .ordinary)]
      case .closed: []
      }
    return AccessRule(.everything, grants, origin: "defaultAccess \"\(self)\"")
  }
}

/// The default access and its exceptions, the rules.
package struct AccessRules: Hashable, Sendable {
  package var defaultAccess: DefaultAccess
  /// In the order of the configuration.
  package var rules: [AccessRule]
  /// The limits of the hub's additional sockets.
  package var sockets: [SocketLimit]

  package init(
    defaultAccess: DefaultAccess = .open, rules: [AccessRule] = [], sockets: [SocketLimit] = []
  ) {
    self.defaultAccess = defaultAccess
    self.rules = rules
    self.sockets = sockets
  }

  /// All clients of the hub's own socket may do everything: there is nothing to decide.
  package var isOpen: Bool { defaultAccess == .open && rules.isEmpty }
}
