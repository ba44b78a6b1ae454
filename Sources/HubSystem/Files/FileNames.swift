// The names of files: given, changed and removed.

internal import Glibc

extension File {
  package static func rename(_ from: String, to: String) -> SystemError? {
    Glibc.rename(from, to) == 0 ? nil : .last
  }

  @discardableResult
  package static func remove(_ path: String) -> SystemError? { unlink(path) == 0 ? nil : .last }

  package static func remove(_ name: String, in directory: borrowing Descriptor) {
    unlinkat(directory.raw, name, 0)
  }

  /// Gives the file at `path` a second name.
  package static func link(_ path: String, as other: String) -> SystemError? {
    Glibc.link(path, other) == 0 ? nil : .last
  }

  /// Not of what a symbolic link leads to.
  package static func setGroup(_ group: UInt32, of path: String) -> SystemError? {
    lchown(path, uid_t.max, group) == 0 ? nil : .last
  }

  package static func setPermissions(_ permissions: UInt32, of path: String) -> SystemError? {
    chmod(path, permissions) == 0 ? nil : .last
  }

  /// The path without symbolic links; nil if there is no such file.
  package static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// The target of a symbolic link; nil if it is not one.
  package static func linkTarget(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room in
      let count = readlink(path, room.baseAddress!, room.count)
      return count < 0 ? nil : String(decoding: UnsafeRawBufferPointer(room).prefix(count), as: UTF8.self)
    }
  }
}
