// The limits of all clients of one of the hub's additional sockets, whatever user they run as.

package import HubCore

/// The limits of one socket. They are part of an identity, so that everything about them is decided when a session begins, and
/// looked up as the rules are.
package struct SocketLimit: Hashable, Sendable {
  /// The user that clients of the socket are mapped to.
  package struct User: Hashable, Sendable {
    package var uid: UInt32
    package var gid: UInt32
    package var groups: [UInt32]
    /// As in the configuration: a name or a number.
    package var name: String

    package init(uid: UInt32, gid: UInt32, groups: [UInt32] = [], name: String) {
      (self.uid, self.gid, self.groups, self.name) = (uid, gid, groups, name)
    }
  }

  /// The socket's name.
  package var name: String
  /// Only names below it exist there: for `ct.web`, those that begin with `ct.web.`; nil: all.
  package var prefix: StoreName?
  /// The most rights that its clients can have; the rules may grant less.
  package var rights: AccessRights
  /// Nil: clients keep their own identity.
  package var user: User?

  package init(
    name: String, prefix: StoreName? = nil, rights: AccessRights = .all, user: User? = nil
  ) {
    self.name = name
    self.prefix = prefix
    self.rights = rights
    self.user = user
  }

  /// For a socket that no longer exists: its clients have no rights.
  package static func closed(_ name: String) -> SocketLimit { SocketLimit(name: name, rights: []) }
}

extension AccessTable {
  /// The identity of a peer.
  ///
  /// - Parameters:
  ///   - socket: the name of the additional socket that it used; nil: the hub's own.
  ///   - origin: nil: a program outside all apps.
  package func identity(
    of peer: Peer, groups: [UInt32], at socket: String?, origin: PeerOrigin?
  ) -> PeerIdentity {
    let limit = socket.map { name in rules.sockets.first { $0.name == name } ?? .closed(name) }
    if let user = limit?.user {
      return PeerIdentity(uid: user.uid, gid: user.gid, groups: user.groups, limit: limit)
    }
    return PeerIdentity(
      uid: peer.uid, gid: peer.gid, groups: groups, limit: limit,
      origin: origin.map(named) ?? PeerOrigin(), isConfined: origin.map(isConfined) ?? false)
  }
}

/// The parts that the names fall into by the prefixes of all sockets: a name belongs to the longest prefix that it is below.
/// With no prefix there is one.
struct NameZones {
  /// Each with its dot; the first, which is empty, is that of all other names. Longer ones come later.
  private let prefixes: [[UInt8]]

  var count: Int { prefixes.count }

  init(_ limits: [SocketLimit]) {
    let texts = Set(limits.compactMap(\.prefix?.text))
    prefixes = [[]] + texts.map { Array("\($0).".utf8) }.sorted { $0.count < $1.count }
  }

  /// The zone of a name. Takes time for each prefix: used when a store is created, not for requests.
  func zone(of name: ByteView) -> Int {
    if prefixes.count == 1 { return 0 }
    return prefixes.lastIndex { name.count > $0.count && name.buffer.starts(with: $0) } ?? 0
  }

  /// Whether the names of a zone are all below a prefix; if not, none of them is.
  func isZone(_ zone: Int, below prefix: StoreName?) -> Bool {
    guard let prefix else { return true }
    return prefixes[zone].starts(with: Array("\(prefix).".utf8))
  }
}
