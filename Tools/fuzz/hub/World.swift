// Owns who the users are and what they may do, in the plainest words: which sets of rules there are, and what one of them gives.

import HubCore
import HubEngine

/// Who connects, and where.
struct Person {
  var uid: UInt32
  var gid: UInt32 = 100
  var groups: [UInt32] = []
  var socket: String?

  /// The first is root, who checks what the hub holds.
  static let all = [
    Person(uid: 0), Person(uid: 1000), Person(uid: 1001, groups: [70]), Person(uid: PeerIdentity.nobody),
    Person(uid: 0, socket: "box"), Person(uid: 1000, socket: "view"),
  ]

  /// Whom the hub's shell says it is: at a socket that counts its clients as somebody, that one.
  var peer: Peer { Peer(pid: 1, uid: identity.uid, gid: gid) }

  var identity: PeerIdentity { PeerIdentity(uid: socket == "box" ? 3000 : uid, gid: gid, groups: groups) }
}

/// The rules in force, and who created what.
final class World {
  static let user: UInt32 = 7
  static let group: UInt32 = 70

  var rules: AccessRules
  var creators: [String: UInt32] = [:]

  init(_ rules: AccessRules) { self.rules = rules }

  static let sockets = [
    SocketLimit(
      name: "box", prefix: try! StoreName("a"), rights: [.read, .write, .create],
      user: SocketLimit.User(uid: 3000, gid: 100, name: "box")),
    SocketLimit(name: "view", rights: .read),
  ]

  private static func rules(_ policy: DefaultAccess, _ list: [(String, [AccessGrant])]) -> AccessRules {
    AccessRules(
      defaultAccess: policy,
      rules: list.enumerated().map { index, rule in
        AccessRule(try! NamePattern(rule.0), rule.1, origin: "access[\(index)]")
      }, sockets: sockets)
  }

  /// Who may read depends on no owner, so that it is known for every moment of the past.
  static let choices = [
    rules(.open, []),
    rules(.members, [("a.**", [AccessGrant(.anyone, .read)])]),
    rules(
      .closed,
      [
        (
          "a.**",
          [AccessGrant(.anyone, [.read, .create]), AccessGrant(.owner, [.write, .remove, .define])]
        ),
        ("b.**", [AccessGrant(.user(1000, name: "u"), .all)]), ("flag", [AccessGrant(.anyone, .write)]),
      ]),
    rules(
      .open,
      [
        ("**.c", []), ("text", [AccessGrant(.anyone, .read)]),
        ("a.b", [AccessGrant(.group(70, name: "g"), [.read, .write])]),
      ]),
    rules(.closed, []),
  ]

  func rights(of person: Person, on name: String) -> AccessRights {
    let store = try! StoreName(name)
    let rule = RulesModel.rule(of: rules, for: store)
    // Behind a socket nobody is trusted: a user that no rule names stands for root there.
    let who =
      person.socket != nil && person.identity.uid == 0
      ? PeerIdentity(uid: 12_345, gid: person.gid) : person.identity
    let creator = creators[name] ?? person.identity.uid
    var rights = AccessRights()
    for (_, right) in AccessRights.words
    where RulesModel.allows(right, rules, rule, who, createdBy: creator) { rights.formUnion(right) }
    guard let socket = person.socket, let limit = rules.sockets.first(where: { $0.name == socket }) else {
      return person.socket == nil ? rights : []
    }
    if let prefix = limit.prefix, !name.hasPrefix("\(prefix).") { return [] }
    return rights.intersection(limit.rights)
  }

  /// What a write takes.
  ///
  /// - Parameter store: what there is before; nil: nothing.
  static func needs(_ operation: WriteOperation, of store: ModelStore?) -> AccessRights {
    switch operation {
    case .set(_, _, let condition, _, _):
      store != nil ? (condition == .none ? .write : [.read, .write]) : .create
    case .add, .toggle, .reset: [.read, .write]
    case .remove: .remove
    case .create(_, let schema, _):
      // A schema that the store has already changes nothing.
      store.map { $0.schema == (try? schema.validated()) ? .read : [.read, .define] } ?? .create
    }
  }
}
