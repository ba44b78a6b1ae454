// The file that gives one process exclusive use of a state directory: takes the lock, and finds its holder.

import CLinux
import Glibc

/// Why exclusive use of a directory is impossible.
struct LockFailure: Error, CustomStringConvertible {
  var description: String
}

package enum LockFile {
  static let name = "lock"

  struct Taken {
    var file: Int32
    /// It was created for this lock.
    var isNew: Bool
    /// The file system takes no writes. The lock excludes other processes all the same.
    var isReadOnly: Bool
  }

  /// Locks the file in an open directory, and creates it if it is missing.
  static func take(in directory: Int32) throws(LockFailure) -> Taken {
    while true {
      let taken = try open(in: directory)
      var isOurs = false
      defer { if !isOurs { close(taken.file) } }
      let holder = taken.isReadOnly ? clinux_share_or_holder(taken.file) : clinux_lock_or_holder(taken.file)
      if holder < 0 { throw LockFailure(description: "its lock file: \(ServerError.text(of: errno))") }
      if holder > 0 {
        throw LockFailure(description: "process \(holder) uses it: one directory is one hub's")
      }
      // An earlier holder may have removed the file in the meantime: then the lock excludes no one.
      isOurs = isInPlace(taken.file, in: directory)
      if isOurs { return taken }
    }
  }

  private static func open(in directory: Int32) throws(LockFailure) -> Taken {
    let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    while true {
      var status = stat()
      let exists = fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      if exists, let kind = FileKind.other(than: status) {
        throw LockFailure(description: "its lock file is \(kind), and no regular file: remove it")
      }
      let file = openat(directory, name, exists ? flags | O_RDWR : flags | O_RDWR | O_CREAT | O_EXCL, 0o600)
      if file >= 0 { return Taken(file: file, isNew: !exists, isReadOnly: false) }
      let problem = errno
      if exists ? problem == ENOENT : problem == EEXIST { continue }
      if exists, problem == EROFS {
        let file = openat(directory, name, flags | O_RDONLY)
        if file >= 0 { return Taken(file: file, isNew: false, isReadOnly: true) }
      }
      let text = ServerError.text(of: problem)
      throw LockFailure(
        description: exists
          ? "its lock file: \(text)"
          : "its lock file cannot be made, and without it nothing keeps another hub out: \(text)")
    }
  }

  /// Locks the file again, so that the directory may be written to.
  static func takeForWriting(in directory: Int32) -> (file: Int32, problem: Int32) {
    let file = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0 { return (-1, errno) }
    let holder = clinux_lock_or_holder(file)
    if holder == 0, isInPlace(file, in: directory) { return (file, 0) }
    let problem = holder < 0 ? errno : EAGAIN
    close(file)
    return (-1, problem)
  }

  private static func isInPlace(_ file: Int32, in directory: Int32) -> Bool {
    var (ours, theirs) = (stat(), stat())
    return fstat(file, &ours) == 0 && fstatat(directory, name, &theirs, AT_SYMLINK_NOFOLLOW) == 0
      && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
  }

  /// Locks again what an earlier program locked in another process.
  ///
  /// - Returns: as `clinux_lock_or_holder`.
  static func retake(_ file: Int32) -> Int32 {
    isReadOnly(file) ? clinux_share_or_holder(file) : clinux_lock_or_holder(file)
  }

  static func isReadOnly(_ file: Int32) -> Bool { fcntl(file, F_GETFL) & O_ACCMODE == O_RDONLY }

  /// The process that uses the directory; nil if there is none.
  ///
  /// It does not try to lock: a hub that starts meanwhile would see that.
  package static func holder(of path: String) -> Int32? {
    let file = Glibc.open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0 { return nil }
    defer { close(file) }
    let holder = clinux_lock_holder(file)
    return holder > 0 ? holder : nil
  }
}

/// What a name refers to that should be a regular file.
enum FileKind {
  /// - Returns: nil if it is a regular file.
  static func other(than status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFLNK: "a symbolic link"
    default: "a device"
    }
  }
}
