// Where clients connect: the hub's own socket at its path, or the sockets that a service manager listens on for it.

import HubSystem

/// The listening sockets. Those that were passed belong to the service manager too, which manages their files.
struct Listeners: ~Copyable {
  private var own: ListeningSocket?
  /// Everything that a service manager passed, which the next program gets as well.
  private(set) var passed: [ServiceEnvironment.PassedDescriptor]
  /// Those of them that are the hub's own socket.
  private let passedOwn: [Int32]
  private var further: [FurtherSocket]
  /// The files of passed sockets, as they were at the start; nil: it was missing then.
  private let passedFiles: [(path: String, identity: FileIdentity?)]
  /// The sockets' paths, as human-readable text.
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
      } else if let problem = Listeners.problem(with: descriptor, further) {
        problems.append(problem)
        continue
      }
      paths.append("\(Socket.path(of: descriptor.number)) (\(descriptor.name))")
    }
    for socket in further { if let path = socket.path { paths.append("\(path) (\(socket.name))") } }
    title = paths.joined(separator: ", ")
    passed = descriptors
    passedFiles = descriptors.map { Socket.path(of: $0.number) }.filter { $0.hasPrefix("/") }
      .map { ($0, Listeners.file(at: $0)) }
    self.passedOwn = passedOwn
    self.further = further
    own = consume socket
  }

  /// Why a passed socket that is not the hub's own is not served; nil: it is. Without limits it could be open to clients that
  /// it was meant to limit.
  private static func problem(
    with passed: ServiceEnvironment.PassedDescriptor, _ further: [FurtherSocket]
  ) -> String? {
    if further.contains(where: { $0.descriptor == passed.number }) { return nil }
    return
      "clients at \(Socket.path(of: passed.number)) are not served: the configuration has no sockets.\(passed.name)"
  }

  /// What other settings have changed.
  struct Change {
    var added: [Int32] = []
    /// Listeners at which the hub serves no more, and those of them that stay open: the service manager's.
    var removed: [Int32] = []
    var unserved: [Int32] = []
    var problems: [String] = []
  }

  /// Listens at the additional sockets of other settings. One that cannot be opened is a problem; the others are
  /// served.
  mutating func change(to options: ServerOptions) -> Change {
    var change = Change()
    let former = further
    do throws(ServerError) {
      let next = try FurtherSockets(options, former: former, passed: passed, mustServe: true)
      further = next.all
      change.problems = next.problems
    } catch {
      change.problems = ["\(error)"]
    }
    for socket in former where !further.contains(where: { $0 === socket }) {
      change.removed.append(socket.descriptor)
      if socket.path == nil { change.unserved.append(socket.descriptor) }
    }
    for socket in further where !former.contains(where: { $0 === socket }) {
      change.added.append(socket.descriptor)
    }
    for descriptor in passed where !descriptor.isHubsOwn {
      if let problem = Listeners.problem(with: descriptor, further) { change.problems.append(problem) }
    }
    return change
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

  /// The name of a listener's additional socket; nil: it is the hub's own.
  func name(of listener: Int32?) -> String? {
    further.isEmpty ? nil : further.first { $0.descriptor == listener }?.name
  }

  /// What the next hub must know of the sockets that this hub has bound.
  ///
  /// - Parameter keepsLock: the next hub is another program of this process.
  func images(keepsLock: Bool) -> [ServerImage.BoundSocket] {
    var images = further.compactMap { $0.image(keepsLock: keepsLock) }
    switch own {
    case .some(let socket): images.append(socket.image(name: "", keepsLock: keepsLock))
    case .none: break
    }
    return images
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

  // MARK: Files that were removed or replaced

  /// What a look at the sockets' files has found and done.
  struct Check {
    /// The paths of all sockets.
    var paths: [String] = []
    /// The paths at which the hub listens again, and the descriptors.
    var restored: [String] = []
    var added: [Int32] = []
    /// Where no client can connect, and why.
    var problems: [String] = []

    fileprivate mutating func note(_ path: String, _ listener: Int32) {
      restored.append(path)
      added.append(listener)
    }

    fileprivate mutating func note(_ path: String, _ error: ServerError) {
      problems.append(
        "the socket \(path) was removed or replaced, and clients cannot connect there: \(error); the hub tries again every "
          + "\(SocketWatch.pause / 1_000_000_000) s")
    }
  }

  private static func file(at path: String) -> FileIdentity? {
    try? FileStatus(at: path, followsLinks: false).identity
  }

  /// The listeners that the hub has bound itself, and whose files are not in place.
  var lost: [Int32] {
    var lost = further.filter { $0.isInPlace == false }.map(\.descriptor)
    switch own {
    case .some(let socket): if !socket.isInPlace { lost.append(socket.listener) }
    case .none: break
    }
    return lost
  }

  /// Listens again where the file of a socket was removed or replaced.
  mutating func check(_ options: ServerOptions) -> Check {
    var check = Check()
    check.paths = ownPaths + passedFiles.map(\.path)
    checkOwn(options, &check)
    for socket in further {
      guard let path = socket.path, socket.isInPlace == false else { continue }
      do throws(ServerError) {
        try socket.restore(options)
        check.note(path, socket.descriptor)
      } catch {
        check.note(path, error)
      }
    }
    for (path, identity) in passedFiles {
      if let identity, Listeners.file(at: path) == identity { continue }
      let user = path.hasPrefix("/run/user/") ? "--user " : ""
      check.problems.append(
        "the socket \(path) was removed or replaced, and clients cannot connect there: only the service manager can make it "
          + "again (systemctl \(user)restart statehub.socket)")
    }
    return check
  }

  private mutating func checkOwn(_ options: ServerOptions, _ check: inout Check) {
    guard var socket = own.take() else { return }
    if !socket.isInPlace {
      do throws(ServerError) {
        try socket.restore(
          isSystem: options.isSystem, permissions: nil, group: options.socketGroup)
        check.note(socket.path, socket.listener)
      } catch {
        check.note(socket.path, error)
      }
    }
    own = consume socket
  }

  /// - Throws: `ServerError.activation` if a passed descriptor is not a listening Unix stream socket.
  static func check(_ descriptor: ServiceEnvironment.PassedDescriptor) throws(ServerError) {
    var reason = "it is not a listening Unix stream socket: use ListenStream= with a path, and Accept=no"
    do throws(SystemError) {
      if try Socket.isListening(descriptor.number) { return }
    } catch {
      reason = error.description
    }
    throw .activation(descriptor: descriptor.number, name: descriptor.name, reason: reason)
  }
}
