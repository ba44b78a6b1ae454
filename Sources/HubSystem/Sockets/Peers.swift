// Who is at the other end of a connection, as the kernel knows it.

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
