// The ownership of a socket's path: a lock on a file next to it. The file stays when the lock ends, so that no process
// locks a file that another is about to remove.

import HubSystem

/// The right to bind and to remove the socket at one path. It ends with this value, or with the process, however that dies.
struct SocketLock: ~Copyable {
  private(set) var file: Descriptor

  /// - Throws: `ServerError.alreadyRunning` with the pid of the process that holds the lock, as reported by the kernel.
  init(for path: String) throws(ServerError) {
    let name = path + ".lock"
    let trouble = "the lock file \(name): "
    let file = try ServerError.binding(
      path, trouble, Descriptor(opening: name, [.readAndWrite, .create, .noFollow]))
    guard let status = try? FileStatus(of: file.raw), status.kind == .regular,
      status.owner == CurrentProcess.effectiveUser
    else { throw .bind(path: path, reason: "the lock file \(name) is not a file of this user: remove it") }
    if let holder = try ServerError.binding(path, trouble, FileLock.take(file.raw)) {
      throw .alreadyRunning(path: path, pid: holder)
    }
    self.file = file
  }

  /// Takes the lock again if its file was removed or replaced. A confined hub may not be able to: then a listener at
  /// the path decides.
  ///
  /// - Throws: `ServerError.alreadyRunning`.
  mutating func restore(for path: String) throws(ServerError) {
    let identity = try? FileStatus(of: file.raw).identity
    // Closing another descriptor of the same file would end the lock.
    if (try? FileStatus(at: path + ".lock", followsLinks: false))?.identity == identity { return }
    do throws(ServerError) {
      self = try SocketLock(for: path)
    } catch {
      if case .alreadyRunning = error { throw error }
    }
  }

  /// The lock that an earlier program of this process took.
  init(adopting raw: Int32) { file = Descriptor(adopting: raw) }
}
