// The process at the other end of a connection, according to the kernel.

internal import CLinux

package struct PeerCredentials: Hashable, Sendable {
  package var pid: UInt32
  package var uid: UInt32
  package var gid: UInt32
}

extension Socket {
  package static func peer(of descriptor: Int32) throws(SystemError) -> PeerCredentials {
    var peer = PeerCredentials(pid: 0, uid: 0, gid: 0)
    if clinux_peer_credentials(descriptor, &peer.pid, &peer.uid, &peer.gid) != 0 { throw .last }
    return peer
  }
}

extension Socket {
  /// The supplementary groups that the peer had when it connected. They stay readable for as long as the connection is open.
  package static func peerGroups(of descriptor: Int32) throws(SystemError) -> [UInt32] {
    var count = 64
    while true {
      var groups = [UInt32](repeating: 0, count: count)
      if clinux_peer_groups(descriptor, &groups, &count) == 0 { return Array(groups.prefix(count)) }
      let problem = SystemError.last
      guard problem == .outOfRange, count > groups.count else { throw problem }
    }
  }
}
