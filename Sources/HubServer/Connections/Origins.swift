// The unit and the app of a client's process, from the kernel: read when rules need them, or when they are shown. It costs about as much as
// everything else for a new connection.

import HubCore
import HubEngine
import HubSystem

extension PeerOrigin {
  /// Nothing, if it cannot be found out.
  static func ofPeer(at descriptor: Int32) -> PeerOrigin {
    guard let peer = try? Socket.peer(of: descriptor),
      let groups = Socket.controlGroups(ofPeerAt: descriptor)
    else { return PeerOrigin() }
    return PeerOrigin(controlGroups: groups, uid: peer.uid)
  }
}
