// The directory with a hub's state: its owner, its permissions, and that only one hub uses it.

import HubSystem

/// An open state directory, locked for this process.
struct StateDirectory: ~Copyable {
  let path: String
  let directory: Descriptor
  /// Closing any descriptor of a locked file ends the lock, so this one stays open as long as the directory is used.
  private let firstLock: Descriptor
  /// Taken later, when a read-only file system accepts writes again.
  private var laterLock: Descriptor?
  /// The descriptor that holds the lock.
  private(set) var lock: Int32
  /// The lock excludes others, but does not allow writing, because the file system does not.
  private(set) var isReadOnly: Bool
  /// The lock file did not exist before.
  private let isLockNew: Bool
  let ownership: Ownership

  /// Opens a directory, creating it (with mode 0700) if it is missing.
  ///
  /// - Throws: `ServerError.stateDirectory` with the reason.
  init(_ path: String, disk: Disk) throws(ServerError) {
    func refuse(_ reason: String) -> ServerError { .stateDirectory(path: path, reason: reason) }
    if path.isEmpty || path.utf8.contains(0) { throw refuse("that is not a path") }
    try StateDirectory.create(path, disk: disk)
    let directory = try SystemError.attempt(Descriptor(opening: path, .directory)) { refuse($0.description) }
    let status = try SystemError.attempt(FileStatus(of: directory.raw)) { refuse($0.description) }
    if let objection = StateDirectory.objection(to: status) { throw refuse(objection) }
    let taken: LockFile.Taken
    do throws(LockFailure) {
      taken = try LockFile.take(in: directory)
    } catch {
      throw refuse(error.description)
    }
    // A hub whose lock file was removed still has its segment locked.
    if let writer = LockFile.writer(in: path) {
      if taken.isNew { File.remove(LockFile.name, in: directory) }
      throw refuse("process \(writer) uses it: each hub needs its own directory")
    }
    lock = taken.file.raw
    (isLockNew, isReadOnly) = (taken.isNew, taken.isReadOnly)
    ownership = Ownership(path, directory: directory.raw, lock: taken.file.raw)
    firstLock = taken.takeFile()
    self.path = path
    self.directory = directory
  }

  /// Why no hub of a user may use a directory of this owner and mode; nil if one may.
  static func objection(to status: FileStatus, user: UInt32 = CurrentProcess.effectiveUser) -> String? {
    if status.owner != user {
      return "it belongs to user \(status.owner), but this process runs as user \(user): run it as user "
        + "\(status.owner), or choose another directory"
    }
    if status.permissions & 0o077 != 0 {
      let mode = String(status.permissions, radix: 8)
      return "its mode is \(mode), so others could read or change the values: chmod 700 it"
    }
    return nil
  }

  /// Adopts what another program of this process opened and locked.
  init(adopting path: String, directory: consuming Descriptor, lock: consuming Descriptor) {
    self.path = path
    ownership = Ownership(path, directory: directory.raw, lock: lock.raw)
    self.directory = directory
    isReadOnly = Descriptor.isReadOnly(lock.raw)
    isLockNew = false
    self.lock = lock.raw
    firstLock = lock
  }

  /// Replaces a lock that does not allow writing.
  ///
  /// - Returns: why that is impossible.
  mutating func lockForWriting() -> SystemError? {
    guard isReadOnly else { return nil }
    do throws(SystemError) {
      let file = try LockFile.takeForWriting(in: directory)
      lock = file.raw
      laterLock = consume file
      isReadOnly = false
      return nil
    } catch {
      // Closing what was opened for it has ended the lock.
      _ = try? LockFile.adopt(firstLock.raw)
      return error
    }
  }

  /// The directory is refused: removes what was created only to lock it, while it is locked.
  func discardNewLock() {
    if isLockNew { File.remove(LockFile.name, in: directory) }
  }

  /// Creates the directory, and for a default path any missing parents.
  private static func create(_ path: String, disk: Disk) throws(ServerError) {
    if (try? FileStatus(at: path)) != nil { return }
    var end = path.startIndex
    while end < path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let part = String(path[..<end])
      if (try? FileStatus(at: part)) != nil { continue }
      if let problem = disk.makeDirectory(part, .directoryCreate) {
        throw .stateDirectory(path: path, reason: "cannot create \(part): \(problem)")
      }
    }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func isSame(as other: borrowing StateDirectory) -> Bool { ownership.directory == other.ownership.directory }

  /// The names of the files in it.
  func names() throws(ServerError) -> [String] {
    try SystemError.attempt(Directory.names(in: directory)) {
      ServerError.stateDirectory(path: path, reason: $0.description)
    }
  }
}

/// The directory and the lock file that make a process the owner, and the paths that must lead to them.
struct Ownership: Sendable {
  private let path: String
  fileprivate let directory: FileIdentity?
  private let lock: FileIdentity?

  /// Both descriptors stay open as long as this is used, so that no other file gets their identities.
  fileprivate init(_ path: String, directory: Int32, lock: Int32) {
    self.path = path
    self.directory = try? FileStatus(of: directory).identity
    self.lock = try? FileStatus(of: lock).identity
  }

  /// Why another process may own what is at the path now; nil if it cannot.
  var problem: StorageFailure? {
    if directory == nil || (try? FileStatus(at: path))?.identity != directory {
      return StorageFailure("write the journal, whose directory was moved, replaced or removed", .noSuchFile)
    }
    let found = try? FileStatus(at: "\(path)/\(LockFile.name)", followsLinks: false)
    if lock == nil || found?.identity != lock {
      return StorageFailure("write the journal, whose lock file was moved, replaced or removed", .noSuchFile)
    }
    return nil
  }
}
