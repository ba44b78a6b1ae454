// The directory with a hub's state: its owner, its permissions, and that only one hub uses it.

import CLinux
import Glibc

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

  /// Opens a directory, creating it (with mode 0700) if it is missing.
  ///
  /// - Throws: `ServerError.stateDirectory` with the reason.
  init(_ path: String, disk: Disk) throws(ServerError) {
    func refuse(_ reason: String) -> ServerError { .stateDirectory(path: path, reason: reason) }
    if path.isEmpty || path.utf8.contains(0) { throw refuse("that is no path") }
    try StateDirectory.create(path, disk: disk)
    let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if raw < 0 { throw refuse(ServerError.text(of: errno)) }
    let directory = try Descriptor(raw, from: "open")
    var status = stat()
    guard fstat(raw, &status) == 0 else { throw refuse(ServerError.text(of: errno)) }
    if status.st_uid != geteuid() {
      throw refuse(
        "it belongs to user \(status.st_uid), the hub runs as user \(geteuid()): chown it, or choose another")
    }
    if status.st_mode & 0o077 != 0 {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw refuse("its mode is \(mode), others could read or change the values: chmod 700 it")
    }
    let taken: LockFile.Taken
    do throws(LockFailure) { taken = try LockFile.take(in: raw) } catch { throw refuse(error.description) }
    firstLock = Descriptor(adopting: taken.file)
    lock = taken.file
    (isLockNew, isReadOnly) = (taken.isNew, taken.isReadOnly)
    self.path = path
    self.directory = directory
  }

  /// Adopts what another program of this process opened and locked.
  init(adopting path: String, directory: consuming Descriptor, lock: consuming Descriptor) {
    self.path = path
    self.directory = directory
    isReadOnly = LockFile.isReadOnly(lock.raw)
    isLockNew = false
    self.lock = lock.raw
    firstLock = lock
  }

  /// Replaces a lock that does not allow writing.
  ///
  /// - Returns: 0 or an `errno`.
  mutating func lockForWriting() -> Int32 {
    guard isReadOnly else { return 0 }
    let (file, problem) = LockFile.takeForWriting(in: directory.raw)
    if problem != 0 {
      // Closing what was opened for it has ended the lock.
      _ = LockFile.retake(firstLock.raw)
      return problem
    }
    laterLock = Descriptor(adopting: file)
    lock = file
    isReadOnly = false
    return 0
  }

  /// The directory is refused: removes what was created only to lock it, while it is locked.
  func discardNewLock() {
    if isLockNew { _ = unlinkat(directory.raw, LockFile.name, 0) }
  }

  /// Creates the directory, and for a default path any missing parents.
  private static func create(_ path: String, disk: Disk) throws(ServerError) {
    var status = stat()
    if stat(path, &status) == 0 { return }
    var end = path.startIndex
    while end < path.endIndex {
      end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let part = String(path[..<end])
      if stat(part, &status) == 0 { continue }
      let problem = disk.makeDirectory(part, .directoryCreate)
      if problem != 0 {
        throw .stateDirectory(path: path, reason: "cannot create \(part): \(ServerError.text(of: problem))")
      }
    }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Whether the path still leads to this directory.
  var isInPlace: Bool {
    var (ours, theirs) = (stat(), stat())
    return fstat(directory.raw, &ours) == 0 && stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev
      && ours.st_ino == theirs.st_ino && ours.st_nlink > 0
  }

  /// The names of the files in it.
  func names() throws(ServerError) -> [String] {
    let copy = openat(directory.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      throw .stateDirectory(path: path, reason: ServerError.text(of: errno))
    }
    defer { closedir(stream) }
    return DirectoryNames.read(stream)
  }
}
