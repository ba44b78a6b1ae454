// The status of a file: its kind, its owner, and whether it has changed.

internal import CLinux
internal import Glibc

package enum FileKind: Hashable, Sendable {
  case regular, directory, socket, pipe, link, device
}

/// Distinguishes a file from another that has taken its name.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// Two are equal if nothing about the file has changed between them.
package struct FileStatus: Hashable, Sendable {
  package let identity: FileIdentity
  package let size: Int
  package let owner: UInt32
  package let group: UInt32
  /// How many names it has.
  package let names: Int
  private let mode: UInt32
  /// When its content changed, and when anything about it did.
  private let modified: Time
  private let changed: Time

  private struct Time: Hashable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
  }

  private init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    size = Int(status.st_size)
    owner = status.st_uid
    group = status.st_gid
    names = Int(status.st_nlink)
    mode = status.st_mode
    (modified, changed) = (Time(status.st_mtim), Time(status.st_ctim))
  }

  package var kind: FileKind {
    switch mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .directory
    case S_IFSOCK: .socket
    case S_IFIFO: .pipe
    case S_IFLNK: .link
    default: .device
    }
  }

  /// The nine bits for owner, group and others.
  package var permissions: UInt32 { mode & 0o777 }

  package init(of descriptor: Int32) throws(SystemError) {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .last }
    self.init(status)
  }

  /// - Parameter followsLinks: of the file that a symbolic link leads to.
  package init(at path: String, followsLinks: Bool = true) throws(SystemError) {
    var status = stat()
    if (followsLinks ? stat(path, &status) : lstat(path, &status)) != 0 { throw .last }
    self.init(status)
  }

  /// Of a name in a directory, and not of the file that a symbolic link leads to.
  package init(of name: String, in directory: borrowing Descriptor) throws(SystemError) {
    var status = stat()
    if fstatat(directory.raw, name, &status, AT_SYMLINK_NOFOLLOW) != 0 { throw .last }
    self.init(status)
  }
}
