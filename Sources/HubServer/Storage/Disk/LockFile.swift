// The file that gives one process exclusive use of a state directory: takes the lock, or finds its holder.

import HubSystem

/// Why exclusive use of a directory is impossible.
struct LockFailure: Error, CustomStringConvertible {
  var description: String
}

package enum LockFile {
  static let name = "lock"

  struct Taken: ~Copyable {
    let file: Descriptor
    /// It was created for this lock.
    let isNew: Bool
    /// The file system takes no writes. The lock still excludes other processes.
    let isReadOnly: Bool

    consuming func takeFile() -> Descriptor { file }
  }

  /// Locks the file in an open directory, and creates it if it is missing.
  static func take(in directory: borrowing Descriptor) throws(LockFailure) -> Taken {
    while true {
      let taken = try open(in: directory)
      let holder = try SystemError.attempt(FileLock.take(taken.file.raw, isShared: taken.isReadOnly)) {
        LockFailure(description: "its lock file: \($0)")
      }
      if let holder {
        throw LockFailure(description: "process \(holder) uses it: each hub needs its own directory")
      }
      // An earlier holder may have removed the file in the meantime: then the lock excludes no one.
      if isAtItsPath(taken.file.raw, in: directory) { return taken }
    }
  }

  private static func open(in directory: borrowing Descriptor) throws(LockFailure) -> Taken {
    while true {
      let status = try? FileStatus(of: name, in: directory)
      if let status, let kind = status.kind.unlessRegular {
        throw LockFailure(description: "its lock file is \(kind), not a regular file: remove it")
      }
      let isNew = status == nil
      let problem: SystemError
      do throws(SystemError) {
        let file = try Descriptor(
          opening: name, in: directory,
          isNew ? [.careful, .readAndWrite, .create, .exclusive] : [.careful, .readAndWrite])
        return Taken(file: file, isNew: isNew, isReadOnly: false)
      } catch {
        problem = error
      }
      if problem == (isNew ? .exists : .noSuchFile) { continue }
      if !isNew, problem == .readOnlyFileSystem,
        let file = try? Descriptor(opening: name, in: directory, .careful)
      {
        return Taken(file: file, isNew: false, isReadOnly: true)
      }
      throw LockFailure(
        description: isNew
          ? "its lock file cannot be created, and without it another hub could use the directory: \(problem)"
          : "its lock file: \(problem)")
    }
  }

  /// Locks the file again, so that the directory may be written to.
  static func takeForWriting(in directory: borrowing Descriptor) throws(SystemError) -> Descriptor {
    let file = try Descriptor(opening: name, in: directory, [.careful, .readAndWrite])
    guard try FileLock.take(file.raw) == nil, isAtItsPath(file.raw, in: directory) else { throw .wouldBlock }
    return file
  }

  private static func isAtItsPath(_ file: Int32, in directory: borrowing Descriptor) -> Bool {
    guard let ours = try? FileStatus(of: file) else { return false }
    return (try? FileStatus(of: name, in: directory))?.identity == ours.identity
  }

  /// Locks again what an earlier program locked in another process.
  ///
  /// - Returns: the process that has taken it since.
  static func adopt(_ file: Int32) throws(SystemError) -> Int32? {
    try FileLock.take(file, isShared: Descriptor.isReadOnly(file))
  }

  /// The process that uses the directory; nil if there is none.
  ///
  /// It does not try to lock: a hub that starts in the meantime would see that.
  package static func holder(of path: String) -> Int32? {
    if let holder = holder(ofFileAt: "\(path)/\(name)") { return holder }
    // Without the lock file, the segment's own lock shows the holder.
    return writer(in: path)
  }

  /// The other process that has locked one of the segments in a directory.
  static func writer(in path: String) -> Int32? {
    let segments = ((try? Directory.names(at: path)) ?? []).filter { JournalFileName($0)?.kind == .journal }
    return segments.lazy.compactMap { holder(ofFileAt: "\(path)/\($0)") }.first
  }

  private static func holder(ofFileAt path: String) -> Int32? {
    guard let file = try? Descriptor(opening: path, .careful) else { return nil }
    return (try? FileLock.holder(of: file.raw)) ?? nil
  }
}

extension FileKind {
  /// What a name refers to that should be a regular file; nil if it is one.
  var unlessRegular: String? {
    switch self {
    case .regular: nil
    case .directory: "a directory"
    case .pipe: "a named pipe"
    case .socket: "a socket"
    case .link: "a symbolic link"
    case .device: "a device"
    }
  }
}
