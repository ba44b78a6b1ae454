// Turns a path into a listening socket: directory, lock, stale file, bind, mode, listen, and and whether each may be removed.

import HubSystem

/// The hub's listening socket at its path. Only one process at a time gets past the lock, so nothing here can race with
/// another hub; other programs cannot connect before the mode is right, because the socket does not listen yet.
struct ListeningSocket: ~Copyable {
  static let backlog: Int32 = 4096

  let path: String
  private var lock: SocketLock
  private var socket: Descriptor?
  /// The listening socket's descriptor; -1 after `withdraw`.
  private(set) var listener: Int32
  /// The file that this hub bound, to distinguish it from others that may replace it.
  private(set) var identity: FileIdentity

  /// - Parameters:
  ///   - isSystem: mode 0660 (otherwise 0600), and 0755 (otherwise 0700) for a directory that must be created.
  ///   - permissions: another mode.
  ///   - group: the file's group, if it is not the process's; the modes are those of the system's hub.
  init(
    path: String, isSystem: Bool, permissions: UInt32? = nil, group: UInt32? = nil
  ) throws(ServerError) {
    try ListeningSocket.check(path)
    let isShared = isSystem || group != nil
    try ListeningSocket.createDirectory(of: path, isShared: isShared)
    let lock = try SocketLock(for: path)
    let permissions = permissions ?? ListeningSocket.permissions(isShared: isShared)
    let socket = try ListeningSocket.bound(to: path, permissions, group)
    self.path = path
    self.lock = lock
    identity = socket.identity
    listener = socket.descriptor.raw
    self.socket = socket.take()
  }

  /// Binds the socket again, whose file was removed or replaced.
  ///
  /// - Throws: why it cannot: the socket remains as it is.
  mutating func restore(isSystem: Bool, permissions: UInt32?, group: UInt32?) throws(ServerError) {
    let isShared = isSystem || group != nil
    try ListeningSocket.createDirectory(of: path, isShared: isShared)
    try lock.restore(for: path)
    let permissions = permissions ?? ListeningSocket.permissions(isShared: isShared)
    let socket = try ListeningSocket.bound(to: path, permissions, group)
    identity = socket.identity
    listener = socket.descriptor.raw
    self.socket = socket.take()
  }

  /// Whether its file is where it was bound.
  var isInPlace: Bool { (try? FileStatus(at: path, followsLinks: false))?.identity == identity }

  /// A socket that listens, and its file.
  private struct Bound: ~Copyable {
    let descriptor: Descriptor
    let identity: FileIdentity

    consuming func take() -> Descriptor { descriptor }
  }

  private static func bound(
    to path: String, _ permissions: UInt32, _ group: UInt32?
  ) throws(ServerError) -> Bound {
    try removeStale(path)
    let socket = try ServerError.binding(path, "", Socket.bound(to: path, mode: permissions))
    let identity: FileIdentity
    do throws(SystemError) {
      identity = try FileStatus(at: path, followsLinks: false).identity
      if let group, let problem = File.setGroup(group, of: path) { throw problem }
      if let problem = Socket.listen(socket, backlog: ListeningSocket.backlog) { throw problem }
    } catch {
      File.remove(path)
      throw .bind(path: path, reason: "\(error)\(Confinement.hint(error))")
    }
    return Bound(descriptor: socket, identity: identity)
  }

  /// The mode of a socket's file, unless another is wanted.
  ///
  /// - Parameter isShared: its group may connect as well.
  static func permissions(isShared: Bool) -> UInt32 { isShared ? 0o660 : 0o600 }

  /// The path and listening socket of a previous hub.
  ///
  /// - Throws: `ServerError.alreadyRunning` if another process has taken the path since.
  init(inheriting image: ServerImage.BoundSocket) throws(ServerError) {
    socket = Descriptor(adopting: image.listener)
    // The lock needs it, and so does the socket later.
    try? ListeningSocket.createDirectory(of: image.path, isShared: CurrentProcess.effectiveUser == 0)
    lock = image.lock >= 0 ? SocketLock(adopting: image.lock) : try SocketLock(for: image.path)
    path = image.path
    listener = image.listener
    identity = FileIdentity(device: image.device, inode: image.inode)
    lock.file.setSurvivesExecution(false)
    setSurvivesExecution(false)
  }

  /// What the next hub must know of it.
  ///
  /// - Parameter keepsLock: the next hub is another program of this process.
  func image(name: String, keepsLock: Bool) -> ServerImage.BoundSocket {
    ServerImage.BoundSocket(
      name: name, path: path, listener: listener, lock: keepsLock ? lock.file.raw : -1,
      device: identity.device,
      inode: identity.inode)
  }

  /// Changes who may connect from now on, if the file is still this hub's.
  func setAccess(_ permissions: UInt32, group: UInt32?) -> SystemError? {
    guard isInPlace, let status = try? FileStatus(at: path, followsLinks: false) else { return .noSuchFile }
    let wanted = group ?? CurrentProcess.effectiveGroup
    if status.group != wanted, let problem = File.setGroup(wanted, of: path) { return problem }
    return status.permissions == permissions ? nil : File.setPermissions(permissions, of: path)
  }

  /// Sets whether a program executed in this process keeps socket and lock.
  func setSurvivesExecution(_ survives: Bool) {
    lock.file.setSurvivesExecution(survives)
    Descriptor.setSurvivesExecution(survives, of: listener)
  }

  /// Stops listening, and removes the socket's file if it is still this hub's.
  mutating func withdraw() {
    if isInPlace { File.remove(path) }
    socket = nil
    listener = -1
  }

  private static func check(_ path: String) throws(ServerError) {
    if path.isEmpty { throw .noPath }
    if path.utf8.contains(0) { throw .bind(path: path, reason: "the path contains a zero byte") }
    let length = path.utf8.count
    if length > Socket.maximumPathLength {
      throw .bind(
        path: path,
        reason:
          "the path has \(length) bytes, and at most \(Socket.maximumPathLength) are allowed: choose a shorter one (--socket, "
          + "STATEHUB_SOCKET or socket in the configuration)")
    }
    if path.first == "@" {
      throw .bind(
        path: path,
        reason: "a hub listens at a path, not at an abstract name: for a file with that name, give ./\(path)")
    }
    if path.last == "/" { throw .bind(path: path, reason: "the path is that of a directory") }
  }

  /// Creates the last directory of the path if it is missing.
  ///
  /// - Parameter isShared: other users may reach the socket in it.
  static func createDirectory(of path: String, isShared: Bool) throws(ServerError) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let directory = String(path[..<slash])
    if let problem = Directory.create(directory, permissions: isShared ? 0o755 : nil), problem != .exists {
      throw .bind(path: path, reason: "cannot create the directory \(directory): \(problem)")
    }
  }

  /// Removes a socket that has no listener any more.
  private static func removeStale(_ path: String) throws(ServerError) {
    let status: FileStatus
    do throws(SystemError) {
      status = try FileStatus(at: path, followsLinks: false)
    } catch {
      if error == .noSuchFile { return }
      throw .bind(path: path, reason: error.description)
    }
    guard status.kind == .socket else {
      throw .bind(
        path: path,
        reason:
          "a file that is not a socket exists there: choose another path (--socket, STATEHUB_SOCKET or socket in the "
          + "configuration), or move the file")
    }
    if let problem = try checkFree(path), problem != .connectionRefused {
      throw .bind(
        path: path, reason: "cannot determine whether another process already listens there: \(problem)")
    }
    if let problem = File.remove(path), problem != .noSuchFile {
      throw .bind(path: path, reason: "cannot remove the stale socket: \(problem)")
    }
  }

  /// Checks that a socket can have the path, and that no process listens there.
  ///
  /// - Returns: why a client could not connect.
  /// - Throws: `ServerError.noPath`, `ServerError.bind`, `ServerError.alreadyRunning`.
  @discardableResult
  static func checkFree(_ path: String) throws(ServerError) -> SystemError? {
    try check(path)
    let probe = try ServerError.attempt("socket", Socket.stream())
    let problem = Socket.connect(probe, to: path, .none)
    switch problem {
    case nil: throw .alreadyRunning(path: path, pid: peer(of: probe.raw))
    // A listener exists, but is busy.
    case .wouldBlock: throw .alreadyRunning(path: path, pid: nil)
    case .some(let problem): return problem
    }
  }

  private static func peer(of descriptor: Int32) -> Int32? {
    guard let pid = try? Socket.peer(of: descriptor).pid, pid > 0 else { return nil }
    return Int32(bitPattern: pid)
  }
}
