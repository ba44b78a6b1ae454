// Where clients connect: the hub's own socket at its path, or the sockets that a service manager listens on for it.

import HubSystem

/// The listening sockets. Those that were passed belong to the service manager too, which manages their files.
struct Listeners: ~Copyable {
  private var own: ListeningSocket?
  /// Everything that a service manager passed, which the next program gets, too.
  private(set) var passed: [ServiceEnvironment.PassedDescriptor]
  /// Those of them that are the hub's own socket.
  private let passedOwn: [Int32]
  private let further: [FurtherSocket]
  /// The sockets' paths, for people.
  let title: String

  /// - Parameters:
  ///   - socket: the hub's own socket; nil: a service manager listens there.
  ///   - descriptors: what it has passed, checked.
  ///   - problems: gets what was passed and is not served.
  init(
    own socket: consuming ListeningSocket?, passed descriptors: [ServiceEnvironment.PassedDescriptor],
    _ further: [FurtherSocket], _ problems: inout [String]
  ) {
    var paths: [String] = []
    var passedOwn: [Int32] = []
    switch socket {
    case .some(let socket): paths.append(socket.path)
    case .none: break
    }
    for descriptor in descriptors {
      // The service manager passes blocking sockets, unless its unit says otherwise.
      Descriptor.setNonblocking(descriptor.number)
      if descriptor.isHubsOwn {
        passedOwn.append(descriptor.number)
      } else if !further.contains(where: { $0.descriptor == descriptor.number }) {
        // Served without limits it could be open to whom it was meant to limit.
        problems.append(
          "nobody is served at \(Socket.path(of: descriptor.number)): the configuration has no sockets.\(descriptor.name)"
        )
        continue
      }
      paths.append("\(Socket.path(of: descriptor.number)) (\(descriptor.name))")
    }
    for socket in further { if let path = socket.path { paths.append("\(path) (\(socket.name))") } }
    title = paths.joined(separator: ", ")
    passed = descriptors
    self.passedOwn = passedOwn
    self.further = further
    own = consume socket
  }

  deinit { for descriptor in passed { Descriptor.close(descriptor.number) } }

  /// All at which clients are served.
  var descriptors: [Int32] { (ownListener.map { [$0] } ?? passedOwn) + further.map(\.descriptor) }

  /// Those that this hub has bound itself.
  var ownDescriptors: [Int32] {
    (ownListener.map { [$0] } ?? []) + further.filter { $0.path != nil }.map(\.descriptor)
  }

  private var ownListener: Int32? {
    switch own {
    case .some(let socket): socket.listener
    case .none: nil
    }
  }

  /// The paths of sockets that the hub has bound itself.
  var ownPaths: [String] {
    var paths = further.compactMap(\.path)
    switch own {
    case .some(let socket): paths.append(socket.path)
    case .none: break
    }
    return paths
  }

  @inline(__always)
  func contains(_ descriptor: Int32) -> Bool {
    let isOwn: Bool
    switch own {
    case .some(let socket): isOwn = socket.listener == descriptor
    case .none: isOwn = passedOwn.contains(descriptor)
    }
    return isOwn || !further.isEmpty && isFurther(descriptor)
  }

  @inline(never)
  private func isFurther(_ descriptor: Int32) -> Bool { further.contains { $0.descriptor == descriptor } }

  /// The name of the further socket that a listener is; nil: it is the hub's own.
  func name(of listener: Int32?) -> String? {
    further.isEmpty ? nil : further.first { $0.descriptor == listener }?.name
  }

  /// What the next hub must know of this hub's own socket.
  ///
  /// - Parameter keepsLock: the next hub is another program of this process.
  func image(keepsLock: Bool) -> ServerImage.BoundSocket? {
    switch own {
    case .some(let socket): socket.image(keepsLock: keepsLock)
    case .none: nil
    }
  }

  func furtherImages(keepsLock: Bool) -> [ServerImage.FurtherSocket] {
    further.compactMap { $0.image(keepsLock: keepsLock) }
  }

  /// Sets whether a program executed in this process keeps all of this. Passed sockets always survive.
  func setSurvivesExecution(_ survives: Bool) {
    for socket in further { socket.setSurvivesExecution(survives) }
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
    for socket in further { socket.withdraw() }
  }

  /// - Throws: `ServerError.activation` if a passed descriptor is not a listening Unix stream socket.
  static func check(_ descriptor: ServiceEnvironment.PassedDescriptor) throws(ServerError) {
    var reason = "it is no listening Unix stream socket: use ListenStream= with a path, and Accept=no"
    do throws(SystemError) {
      if try Socket.isListening(descriptor.number) { return }
    } catch {
      reason = error.description
    }
    throw .activation(descriptor: descriptor.number, name: descriptor.name, reason: reason)
  }
}
