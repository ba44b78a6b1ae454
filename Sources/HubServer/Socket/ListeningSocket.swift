// From a path to a listening socket: directory, lock, stale file, bind, mode, listen, and what of it may be removed.

import HubSystem

/// The hub's listening socket at its path. Only one process at a time gets past the lock, so nothing here can race with
/// another hub; other programs cannot connect before the mode is right, because the socket does not listen yet.
struct ListeningSocket: ~Copyable {
  private static let backlog: Int32 = 4096

  let path: String
  let lock: SocketLock
  private var socket: Descriptor?
  /// The listening socket's descriptor; -1 after `withdraw`.
  private(set) var listener: Int32
  /// The file that this hub bound, to distinguish it from others that may replace it.
  let identity: FileIdentity

  /// - Parameters:
  ///   - isSystem: mode 0660 (otherwise 0600), and 0755 (otherwise 0700) for a directory that must be created.
  ///   - permissions: another mode.
  ///   - group: the file's group, if it is not the process's.
  init(
    path: String, isSystem: Bool, permissions: UInt32? = nil, group: UInt32? = nil
  ) throws(ServerError) {
    try ListeningSocket.check(path)
    try ListeningSocket.createDirectory(of: path, isSystem: isSystem)
    let lock = try SocketLock(for: path)
    try ListeningSocket.removeStale(path)

    let socket = try ServerError.binding(
      path, "", Socket.bound(to: path, mode: permissions ?? ListeningSocket.permissions(isShared: isSystem)))
    let identity: FileIdentity
    do throws(SystemError) {
      identity = try FileStatus(at: path, followsLinks: false).identity
      if let group, let problem = File.setGroup(group, of: path) { throw problem }
      if let problem = Socket.listen(socket, backlog: ListeningSocket.backlog) { throw problem }
    } catch {
      File.remove(path)
      throw .bind(path: path, reason: error.description)
    }
    self.path = path
    self.lock = lock
    self.identity = identity
    listener = socket.raw
    self.socket = consume socket
  }

  /// The mode of a socket's file, unless another is wanted.
  ///
  /// - Parameter isShared: its group may connect, too.
  static func permissions(isShared: Bool) -> UInt32 { isShared ? 0o660 : 0o600 }

  /// The path and listening socket of a previous hub.
  ///
  /// - Throws: `ServerError.alreadyRunning` if another process has taken the path since.
  init(inheriting image: ServerImage.BoundSocket) throws(ServerError) {
    socket = Descriptor(adopting: image.listener)
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
  func image(keepsLock: Bool) -> ServerImage.BoundSocket {
    ServerImage.BoundSocket(
      path: path, listener: listener, lock: keepsLock ? lock.file.raw : -1, device: identity.device,
      inode: identity.inode)
  }

  /// Changes who may connect from now on, if the file is still this hub's.
  func setAccess(_ permissions: UInt32, group: UInt32?) -> SystemError? {
    guard let status = try? FileStatus(at: path, followsLinks: false), status.identity == identity else {
      return .noSuchFile
    }
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
    if (try? FileStatus(at: path, followsLinks: false))?.identity == identity { File.remove(path) }
    socket = nil
    listener = -1
  }

  private static func check(_ path: String) throws(ServerError) {
    if path.isEmpty { throw .noPath }
    if path.utf8.contains(0) { throw .bind(path: path, reason: "the path holds a zero byte") }
    let length = path.utf8.count
    if length > Socket.maximumPathLength {
      throw .bind(
        path: path,
        reason:
          "the path has \(length) bytes, a socket's may have \(Socket.maximumPathLength): choose a shorter one (--socket, "
          + "STATEHUB_SOCKET or socket in the configuration)")
    }
    if path.last == "/" { throw .bind(path: path, reason: "the path is that of a directory") }
  }

  /// Creates the last directory of the path if it is missing.
  static func createDirectory(of path: String, isSystem: Bool) throws(ServerError) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let directory = String(path[..<slash])
    if let problem = Directory.create(directory, permissions: isSystem ? 0o755 : nil), problem != .exists {
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
          "there is a file that is no socket: choose another path (--socket, STATEHUB_SOCKET or socket in the "
          + "configuration), or move it away")
    }
    let probe = try ServerError.attempt("socket", Socket.stream())
    switch Socket.connect(probe, to: path, .none) {
    case .connectionRefused: break
    case nil: throw .alreadyRunning(path: path, pid: peer(of: probe.raw))
    // There is a listener, and it is busy.
    case .wouldBlock: throw .alreadyRunning(path: path, pid: nil)
    case .some(let problem):
      throw .bind(path: path, reason: "cannot tell whether somebody listens there already: \(problem)")
    }
    if let problem = File.remove(path), problem != .noSuchFile {
      throw .bind(path: path, reason: "cannot remove the stale socket: \(problem)")
    }
  }

  private static func peer(of descriptor: Int32) -> Int32? {
    guard let pid = try? Socket.peer(of: descriptor).pid, pid > 0 else { return nil }
    return Int32(bitPattern: pid)
  }
}
