// An additional socket of the hub, as configured: its path, who may connect, and the limits of its clients.

package import HubCore
package import HubEngine
import HubSystem

package struct SocketOptions: Sendable, Equatable {
  /// Its name in the configuration, and what a service manager calls it.
  package var name: String
  /// Where the hub listens unless a service manager does; nil: only a service manager can.
  package var path: String?
  /// The permissions of its file; nil: as for the hub's own socket.
  package var mode: UInt32?
  /// The group of its file; nil: the hub's own.
  package var group: UInt32?
  package var prefix: StoreName?
  package var rights = AccessRights.all
  package var user: SocketLimit.User?

  package init(name: String) { self.name = name }

  var limit: SocketLimit { SocketLimit(name: name, prefix: prefix, rights: rights, user: user) }

  /// The permissions of its file.
  func permissions(isSystem: Bool) -> UInt32 {
    mode ?? ListeningSocket.permissions(isShared: isSystem || group != nil)
  }
}

extension ServerOptions {
  /// Where two of the hub's sockets would be the same file.
  ///
  /// - Throws: `ServerError.configuration`.
  package func checkSockets() throws(ServerError) {
    for socket in sockets where socket.path == socketPath {
      throw .configuration(
        "sockets.\(socket.name).path: \(socketPath) is the hub's own socket: choose another path")
    }
  }
}
