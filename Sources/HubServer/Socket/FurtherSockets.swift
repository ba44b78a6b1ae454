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

  /// One of the hub before; nil: another process has taken its path.
  init?(_ image: ServerImage.BoundSocket) {
    guard let socket = try? ListeningSocket(inheriting: image) else { return nil }
    name = image.name
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

  func image(keepsLock: Bool) -> ServerImage.BoundSocket? {
    switch bound {
    case .some(let socket): socket.image(name: name, keepsLock: keepsLock)
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

  /// Changes who may connect.
  func setAccess(_ permissions: UInt32, group: UInt32?) -> SystemError? {
    switch bound {
    case .some(let socket): socket.setAccess(permissions, group: group)
    case .none: nil
    }
  }

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

/// The additional sockets of a starting hub.
struct FurtherSockets {
  private(set) var all: [FurtherSocket] = []
  /// What is wrong with some of them, as human-readable text.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - former: those of the hub so far. Those that are no longer wanted are closed, and their files removed.
  ///   - passed: what a service manager passed under names of sockets.
  ///   - mustServe: clients depend on this hub: a socket that cannot be had is a problem, and does not end it.
  init(
    _ options: ServerOptions, former: [FurtherSocket], passed: [ServiceEnvironment.PassedDescriptor],
    mustServe: Bool
  ) throws(ServerError) {
    var kept: [String: FurtherSocket] = [:]
    for socket in former {
      let isPassed = passed.contains { $0.name == socket.name }
      let isWanted = options.sockets.contains {
        $0.name == socket.name && (isPassed ? socket.path == nil : socket.path == $0.path)
      }
      if isWanted { kept[socket.name] = socket } else { socket.withdraw() }
    }
    for socket in options.sockets {
      if let descriptor = passed.first(where: { $0.name == socket.name }) {
        all.append(kept[socket.name] ?? FurtherSocket(socket.name, passed: descriptor.number))
        continue
      }
      do throws(ServerError) {
        try add(socket, kept[socket.name], isSystem: options.isSystem)
      } catch {
        guard mustServe else { throw error }
        problems.append("sockets.\(socket.name): \(error)")
      }
    }
  }

  private mutating func add(
    _ options: SocketOptions, _ former: FurtherSocket?, isSystem: Bool
  ) throws(ServerError) {
    guard let path = options.path else {
      problems.append(
        "sockets.\(options.name): it has no path, and the service manager passed no socket with that name")
      return
    }
    let permissions = options.permissions(isSystem: isSystem)
    if let former {
      if let problem = former.setAccess(permissions, group: options.group) {
        problems.append("sockets.\(options.name): its permissions cannot be changed: \(problem)")
      }
      all.append(former)
    } else {
      let socket = try ListeningSocket(
        path: path, isSystem: isSystem, permissions: permissions, group: options.group)
      all.append(FurtherSocket(options.name, bound: socket))
    }
  }
}
