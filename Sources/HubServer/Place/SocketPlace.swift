// From a path to a listening socket: directory, lock, stale file, bind, mode, listen, and what of it may be removed.

import CLinux
import Glibc

/// The hub's listening socket at its path. Only one process at a time gets past the lock, so nothing here can race with
/// another hub; other programs cannot connect before the mode is right, because the socket does not listen yet.
struct SocketPlace: ~Copyable {
  static let maximumPathLength = 107
  private static let backlog: Int32 = 4096

  let path: String
  let lock: PlaceLock
  private var socket: Descriptor?
  /// The listening socket's descriptor; -1 after `withdraw`.
  private(set) var listener: Int32
  /// The file that this hub bound, to distinguish it from others that may replace it.
  let identity: FileIdentity

  /// - Parameter isSystem: mode 0660 (otherwise 0600), and 0755 (otherwise 0700) for a directory that must be created.
  init(path: String, isSystem: Bool) throws(ServerError) {
    try SocketPlace.check(path)
    try SocketPlace.createDirectory(of: path, isSystem: isSystem)
    let lock = try PlaceLock(for: path)
    try SocketPlace.removeStale(path)

    let socket = try Descriptor(clinux_unix_stream_nonblocking(), from: "socket")
    let listener = socket.raw
    let mode: mode_t = isSystem ? 0o660 : 0o600
    let mask = umask(0o777 & ~mode)
    var bytes = path
    let result = bytes.withUTF8 { clinux_bind_unix(listener, $0.baseAddress, $0.count) }
    let problem = errno
    umask(mask)
    if result != 0 { throw .place(path: path, reason: ServerError.text(of: problem)) }
    guard chmod(path, mode) == 0, let identity = FileIdentity(path),
      listen(listener, SocketPlace.backlog) == 0
    else {
      let problem = errno
      unlink(path)
      throw .place(path: path, reason: ServerError.text(of: problem))
    }
    self.path = path
    self.lock = lock
    self.identity = identity
    self.listener = listener
    self.socket = consume socket
  }

  /// The path and listening socket of a previous hub.
  ///
  /// - Throws: `ServerError.alreadyRunning` if another process has taken the path since.
  init(inheriting image: ServerImage.Place) throws(ServerError) {
    socket = Descriptor(adopting: image.listener)
    lock = image.lock >= 0 ? PlaceLock(adopting: image.lock) : try PlaceLock(for: image.path)
    path = image.path
    listener = image.listener
    identity = FileIdentity(device: dev_t(image.device), inode: ino_t(image.inode))
    lock.file.setSurvivesExecution(false)
    setSurvivesExecution(false)
  }

  /// Sets whether a program executed in this process keeps socket and lock.
  func setSurvivesExecution(_ survives: Bool) {
    lock.file.setSurvivesExecution(survives)
    _ = fcntl(listener, F_SETFD, survives ? 0 : FD_CLOEXEC)
  }

  /// Stops listening, and removes the socket's file if it is still this hub's.
  mutating func withdraw() {
    if FileIdentity(path) == identity { unlink(path) }
    socket = nil
    listener = -1
  }

  private static func check(_ path: String) throws(ServerError) {
    if path.isEmpty { throw .noPlace }
    if path.utf8.contains(0) { throw .place(path: path, reason: "the path holds a zero byte") }
    let length = path.utf8.count
    if length > maximumPathLength {
      throw .place(
        path: path,
        reason:
          "the path has \(length) bytes, a socket's may have \(maximumPathLength): choose a shorter one (--socket, "
          + "STATEHUB_SOCKET or socket in the configuration)")
    }
    if path.last == "/" { throw .place(path: path, reason: "the path is that of a directory") }
  }

  /// Creates the last directory of the path if it is missing.
  private static func createDirectory(of path: String, isSystem: Bool) throws(ServerError) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let directory = String(path[..<slash])
    if mkdir(directory, 0o700) == 0 {
      // Independent of the umask.
      if isSystem { chmod(directory, 0o755) }
    } else if errno != EEXIST {
      throw .place(
        path: path, reason: "cannot create the directory \(directory): \(ServerError.text(of: errno))")
    }
  }

  /// Removes a socket that has no listener any more.
  private static func removeStale(_ path: String) throws(ServerError) {
    var status = stat()
    if lstat(path, &status) != 0 {
      if errno == ENOENT { return }
      throw .place(path: path, reason: ServerError.text(of: errno))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw .place(
        path: path,
        reason:
          "there is a file that is no socket: choose another path (--socket, STATEHUB_SOCKET or socket in the "
          + "configuration), or move it away")
    }
    let probe = try Descriptor(clinux_unix_stream_nonblocking(), from: "socket")
    var bytes = path
    let result = bytes.withUTF8 { clinux_connect_unix(probe.raw, $0.baseAddress, $0.count) }
    // EAGAIN: there is a listener, and it is busy.
    if result == 0 || errno == EAGAIN {
      throw .alreadyRunning(path: path, pid: result == 0 ? peer(of: probe.raw) : nil)
    }
    guard errno == ECONNREFUSED else {
      throw .place(
        path: path,
        reason: "cannot tell whether somebody listens there already: \(ServerError.text(of: errno))")
    }
    if unlink(path) != 0, errno != ENOENT {
      throw .place(path: path, reason: "cannot remove the stale socket: \(ServerError.text(of: errno))")
    }
  }

  private static func peer(of descriptor: Int32) -> Int32? {
    var (pid, uid, gid): (UInt32, UInt32, UInt32) = (0, 0, 0)
    let result = clinux_peer_credentials(descriptor, &pid, &uid, &gid)
    return result == 0 && pid > 0 ? Int32(bitPattern: pid) : nil
  }
}

/// Distinguishes a file from another that has taken its name.
struct FileIdentity: Equatable {
  let device: dev_t
  let inode: ino_t

  init(device: dev_t, inode: ino_t) {
    self.device = device
    self.inode = inode
  }

  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
  }
}
