// Where clients connect: the hub's own socket at its path, or the sockets that a service manager listens on for it.

import HubSystem

/// The listening sockets. Those that were passed belong to the service manager too, which manages their files.
struct Listeners: ~Copyable {
  private var own: ListeningSocket?
  private(set) var passed: [ServiceEnvironment.PassedDescriptor]
  /// The sockets' paths, for people.
  let title: String

  /// The hub's own socket.
  init(own socket: consuming ListeningSocket) {
    title = socket.path
    passed = []
    own = consume socket
  }

  /// - Throws: `ServerError.activation` if one of them is not a listening Unix stream socket.
  init(passed descriptors: [ServiceEnvironment.PassedDescriptor]) throws(ServerError) {
    var paths: [String] = []
    for descriptor in descriptors {
      try Listeners.check(descriptor)
      // The service manager passes blocking sockets, unless its unit says otherwise.
      Descriptor.setNonblocking(descriptor.number)
      paths.append("\(Socket.path(of: descriptor.number)) (\(descriptor.name))")
    }
    title = paths.joined(separator: ", ")
    passed = descriptors
    own = nil
  }

  deinit { for descriptor in passed { Descriptor.close(descriptor.number) } }

  var descriptors: [Int32] {
    switch own {
    case .some(let socket): [socket.listener]
    case .none: passed.map(\.number)
    }
  }

  /// The paths of sockets that the hub has bound itself.
  var ownPaths: [String] {
    switch own {
    case .some(let socket): [socket.path]
    case .none: []
    }
  }

  @inline(__always)
  func contains(_ descriptor: Int32) -> Bool {
    switch own {
    case .some(let socket): socket.listener == descriptor
    case .none: passed.contains { $0.number == descriptor }
    }
  }

  /// What the next hub must know of this hub's own socket.
  ///
  /// - Parameter keepsLock: the next hub is another program of this process.
  func image(keepsLock: Bool) -> ServerImage.BoundSocket? {
    switch own {
    case .some(let socket):
      ServerImage.BoundSocket(
        path: socket.path, listener: socket.listener, lock: keepsLock ? socket.lock.file.raw : -1,
        device: socket.identity.device, inode: socket.identity.inode)
    case .none: nil
    }
  }

  /// Sets whether a program executed in this process keeps all of this. Passed sockets always survive.
  func setSurvivesExecution(_ survives: Bool) {
    switch own {
    case .some(let socket): socket.setSurvivesExecution(survives)
    case .none: break
    }
  }

  /// Stops listening. The file of the hub's own socket is removed if it is still that socket.
  mutating func withdraw() {
    for descriptor in passed { Descriptor.close(descriptor.number) }
    passed = []
    own?.withdraw()
  }

  private static func check(_ descriptor: ServiceEnvironment.PassedDescriptor) throws(ServerError) {
    var reason = "it is no listening Unix stream socket: use ListenStream= with a path, and Accept=no"
    do throws(SystemError) {
      if try Socket.isListening(descriptor.number) { return }
    } catch {
      reason = error.description
    }
    throw .activation(descriptor: descriptor.number, name: descriptor.name, reason: reason)
  }
}
