// Clients of the additional sockets: which user they are mapped to, and which of them must connect again after a reload.

import HubCore
import HubEngine

extension Exchange {
  /// The user that a peer is mapped to at an additional socket.
  func counted(_ peer: Peer, at socket: String) -> Peer {
    guard let user = options.sockets.first(where: { $0.name == socket })?.user else { return peer }
    return Peer(pid: peer.pid, uid: user.uid, gid: user.gid)
  }

  /// Ends the sessions whose socket is gone, or maps its clients to another user than before: the identity is decided when
  /// they connect.
  ///
  /// - Parameter before: the sockets under which they connected.
  mutating func dismissMisplaced(since before: [SocketOptions]) {
    for descriptor in 0..<connections.limit where connections[descriptor].life.isOpen {
      guard let name = engine.socket(of: SessionID(raw: descriptor)) else { continue }
      let (former, present) = (
        before.first { $0.name == name }, options.sockets.first { $0.name == name }
      )
      if let present, present.user == former?.user { continue }
      let message =
        present == nil
        ? "the configuration no longer has sockets.\(name)"
        : "sockets.\(name) now maps its clients to another user: reconnect"
      dismiss(descriptor, .shuttingDown, message)
    }
  }
}
