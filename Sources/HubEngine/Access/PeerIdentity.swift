// The identity of a connection for the access rules. The kernel is its only source.

package import HubCore

/// A user with all groups, and the unit and the app that rules name.
package struct PeerIdentity: Hashable, Sendable {
  /// What the kernel shows instead of a user or group that this user namespace does not know. Several of them look alike, so
  /// it identifies no particular user: it owns nothing, and no rule can name it.
  package static let nobody: UInt32 = 65_534

  package let uid: UInt32
  /// The primary and the supplementary groups, ascending, each once, without `nobody`.
  package let groups: [UInt32]
  /// The limits of the socket that the connection used; nil: the hub's own socket.
  package let limit: SocketLimit?
  /// Only what rules name.
  let origin: PeerOrigin
  /// An app, or it cannot be ruled out.
  let isConfined: Bool

  package init(
    uid: UInt32, gid: UInt32, groups: [UInt32] = [], limit: SocketLimit? = nil,
    origin: PeerOrigin = PeerOrigin(), isConfined: Bool = false
  ) {
    self.uid = uid
    self.limit = limit
    self.origin = origin
    self.isConfined = isConfined
    self.groups = Set(groups + [gid]).subtracting([PeerIdentity.nobody]).sorted()
  }

  package init(_ peer: Peer, groups: [UInt32] = []) {
    self.init(uid: peer.uid, gid: peer.gid, groups: groups)
  }

  /// Root and the hub's own user may always do everything: they can read the hub's memory and files anyway, and no mistake
  /// in the rules can lock them out. At an additional socket they are like others: it may belong to a container, whose root
  /// has the same number. An app of the hub's own user is confined by its sandbox, and can read neither.
  package func isTrusted(byHubOf user: UInt32) -> Bool {
    limit == nil && PeerIdentity.isAdministrator(uid, of: user) && (uid == 0 || !isConfined)
  }

  /// Root, or the user that the hub runs as. `nobody` never is, not even for a hub that runs as that number: it may be any user.
  package static func isAdministrator(_ uid: UInt32, of hubUser: UInt32) -> Bool {
    uid == 0 || uid == hubUser && uid != nobody
  }

  func isMember(of group: UInt32) -> Bool { groups.contains(group) }

  /// Whether a store that this user created is its own.
  @inline(__always)
  func owns(createdBy creator: UInt32) -> Bool { creator == uid && uid != PeerIdentity.nobody }
}
