// The directory that holds a hub's state: whose it is, who may look into it, and that one hub has it alone.

import CLinux
import Glibc

/// An open state directory, locked for this process.
struct StateDirectory: ~Copyable {
  let path: String
  let directory: Descriptor
  /// Closing any descriptor of a locked file ends the lock, so this one stays as long as the directory is used.
  private let firstLock: Descriptor
  /// Taken later, when a file system that took no writes does again.
  private var laterLock: Descriptor?
  /// The descriptor that holds the lock.
  private(set) var lock: Int32
  /// Whether the lock keeps others out, but does not allow to write, because the file system does not.
  private(set) var isReadOnly: Bool
  /// The lock file was not there before.
  private let isLockNew: Bool

  /// Opens a directory, and creates it (with mode 0700) if it is missing.
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

  /// Takes over what another program of this process has opened and locked.
  init(adopting path: String, directory: consuming Descriptor, lock: consuming Descriptor) {
    self.path = path
    self.directory = directory
    isReadOnly = LockFile.isReadOnly(lock.raw)
    isLockNew = false
    self.lock = lock.raw
    firstLock = lock
  }

  /// Makes the lock one that allows to write, if it is not.
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

  /// The directory is refused: what was made only to lock it goes again, while it is locked.
  func discardNewLock() {
    if isLockNew { _ = unlinkat(directory.raw, LockFile.name, 0) }
  }

  /// Creates the directory, and for a default path what is missing above it.
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

  /// The directory is still the one that its path leads to.
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
