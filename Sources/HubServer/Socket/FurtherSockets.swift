// The sockets of the configuration's `sockets`: taken from the hub before, bound, or passed by a service manager.

import HubCore
import HubSystem

/// A listening socket with a name.
final class FurtherSocket {
  let name: String
  private(set) var descriptor: Int32
  /// Nil: a service manager listens there, and owns its file.
  private var bound: ListeningSocket?

  init(_ name: String, bound socket: consuming ListeningSocket) {
    self.name = name
    descriptor = socket.listener
    bound = consume socket
  }

  init(_ name: String, passed descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Where the hub itself has bound it.
  var path: String? {
    switch bound {
    case .some(let socket): socket.path
    case .none: nil
    }
  }

  func image(keepsLock: Bool) -> ServerImage.FurtherSocket? {
    switch bound {
    case .some(let socket): ServerImage.FurtherSocket(name: name, socket: socket.image(keepsLock: keepsLock))
    case .none: nil
    }
  }

  func setSurvivesExecution(_ survives: Bool) {
    switch bound {
    case .some(let socket): socket.setSurvivesExecution(survives)
    case .none: break
    }
  }

  func withdraw() { bound?.withdraw() }

  /// Whether its file is where the hub has bound it; nil: it is not the hub's to bind.
  var isInPlace: Bool? {
    switch bound {
    case .some(let socket): socket.isInPlace
    case .none: nil
    }
  }

  /// Binds it again; the descriptor is another one then.
  func restore(_ options: ServerOptions) throws(ServerError) {
    guard let socket = options.sockets.first(where: { $0.name == name }) else { return }
    try bound?.restore(
      isSystem: options.isSystem, permissions: socket.permissions(isSystem: options.isSystem),
      group: socket.group)
    switch bound {
    case .some(let socket): descriptor = socket.listener
    case .none: break
    }
  }
}

/// The further sockets of a hub that begins.
struct FurtherSockets {
  private(set) var all: [FurtherSocket] = []
  /// What is wrong with some of them, for people.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - image: the sockets of the hub before. Those that are not wanted any more are closed, and their files removed.
  ///   - passed: what a service manager passed under names of sockets.
  ///   - takesOver: clients depend on this hub: a socket that cannot be had is a problem, and no reason to end.
  init(
    _ options: ServerOptions, image: [ServerImage.FurtherSocket],
    passed: [ServiceEnvironment.PassedDescriptor], takesOver: Bool
  ) throws(ServerError) {
    var kept: [String: ServerImage.BoundSocket] = [:]
    for former in image {
      let isWanted = options.sockets.contains { $0.name == former.name && $0.path == former.socket.path }
      if isWanted, !passed.contains(where: { $0.name == former.name }) {
        kept[former.name] = former.socket
      } else if var socket = try? ListeningSocket(inheriting: former.socket) {
        socket.withdraw()
      }
    }
    for descriptor in passed where options.sockets.contains(where: { $0.name == descriptor.name }) {
      all.append(FurtherSocket(descriptor.name, passed: descriptor.number))
    }
    for socket in options.sockets where !passed.contains(where: { $0.name == socket.name }) {
      do throws(ServerError) {
        try add(socket, kept[socket.name], isSystem: options.isSystem)
      } catch {
        guard takesOver else { throw error }
        problems.append("sockets.\(socket.name): \(error)")
      }
    }
  }

  private mutating func add(
    _ options: SocketOptions, _ former: ServerImage.BoundSocket?, isSystem: Bool
  ) throws(ServerError) {
    guard let path = options.path else {
      problems.append(
        "sockets.\(options.name): it has no path, and the service manager has passed no socket of that name")
      return
    }
    let permissions = options.permissions(isSystem: isSystem)
    if let former {
      let socket = try ListeningSocket(inheriting: former)
      if let problem = socket.setAccess(permissions, group: options.group) {
        problems.append("sockets.\(options.name): its permissions cannot be changed: \(problem)")
      }
      all.append(FurtherSocket(options.name, bound: socket))
    } else {
      let socket = try ListeningSocket(
        path: path, isSystem: isSystem, permissions: permissions, group: options.group)
      all.append(FurtherSocket(options.name, bound: socket))
    }
  }
}
