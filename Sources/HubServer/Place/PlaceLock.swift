// Who owns a socket's path: a lock on a file next to it. The file stays when the lock ends, so that no process locks a file
// that another is about to remove.

import CLinux
import Glibc

/// The right to bind and to remove the socket at one path. It ends with this value, or with the process, however that dies.
struct PlaceLock: ~Copyable {
  let file: Descriptor

  /// - Throws: `ServerError.alreadyRunning` with the pid of the process that holds the lock, as reported by the kernel.
  init(for path: String) throws(ServerError) {
    let name = path + ".lock"
    let raw = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if raw < 0 {
      throw .place(path: path, reason: "the lock file \(name): \(ServerError.text(of: errno))")
    }
    let file = try Descriptor(raw, from: "open")
    var status = stat()
    guard fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw .place(path: path, reason: "the lock file \(name) is not a file of this user: remove it")
    }
    let holder = clinux_lock_or_holder(raw)
    if holder < 0 {
      throw .place(path: path, reason: "the lock file \(name): \(ServerError.text(of: errno))")
    }
    if holder > 0 { throw .alreadyRunning(path: path, pid: holder) }
    self.file = file
  }

  /// The lock that an earlier program of this process took.
  init(adopting raw: Int32) { file = Descriptor(adopting: raw) }
}
