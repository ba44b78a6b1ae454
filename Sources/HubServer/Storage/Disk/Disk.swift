// The system calls that the journal makes on its files, each at a named step, so that tests can make any of them fail or be
// the last. Outside debug builds there is nothing but the calls.

import CLinux
import Glibc
import HubCore

/// A step of the journal at which a crash or an error makes a difference.
package enum Failpoint: String, Sendable, CaseIterable {
  case append, clear, sync
  case mark, markSync
  case prepare, prepareSync
  case segmentCreate, segmentWrite, segmentSync, segmentRename, segmentSyncDirectory
  case snapshotCreate, snapshotWrite, snapshotSync, snapshotRename, snapshotSyncDirectory
  case unlink, unlinkSyncDirectory
  case recoverSync
  case directoryCreate
}

/// What a test may see of a call on the disk.
package enum DiskOperation: Sendable {
  case create(path: String)
  case write(file: Int32, offset: Int, bytes: [UInt8])
  case sync(file: Int32)
  case rename(from: String, to: String)
  case unlink(path: String)
  case syncDirectory
  case makeDirectory(path: String)
}

#if DEBUG
  /// Intercepts the journal's calls on the disk in tests. Called on the loop's thread and on the worker's.
  package protocol DiskWitness: AnyObject, Sendable {
    /// An `errno` to fail with instead of calling, or nil.
    func willPerform(_ operation: DiskOperation, at point: Failpoint) -> Int32?
    /// The call succeeded; a created file has this descriptor.
    func didPerform(_ operation: DiskOperation, at point: Failpoint, file: Int32)
  }
#endif

/// Every call returns 0 or an `errno`, and is repeated after an interruption by a signal.
package struct Disk: Sendable {
  /// The length that a new segment is given before it must be lengthened.
  var firstLength = 256 << 10

  #if DEBUG
    package var witness: (any DiskWitness)?
  #endif

  package init() {}

  /// Makes exceeding the file size limit an error of the call, as a full disk is, instead of ending the process.
  package static func takeLimitsAsErrors() { _ = signal(SIGXFSZ, SIG_IGN) }

  /// Creates a file that must not exist, for reading and writing.
  func create(_ path: String, _ point: Failpoint) -> (file: Int32, problem: Int32) {
    #if DEBUG
      if let problem = witness?.willPerform(.create(path: path), at: point) { return (-1, problem) }
    #endif
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file < 0 { return (-1, errno) }
    #if DEBUG
      witness?.didPerform(.create(path: path), at: point, file: file)
    #endif
    return (file, 0)
  }

  /// Writes all bytes, or returns why not; then some may have been written.
  func write(_ bytes: ByteView, to file: Int32, at offset: Int, _ point: Failpoint) -> Int32 {
    perform(.write(file: file, offset: offset, bytes: bytes.array), at: point, file) {
      var done = 0
      while done < bytes.count {
        let count = pwrite(file, bytes.base + done, bytes.count - done, off_t(offset + done))
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        if count == 0 { return ENOSPC }
        done += count
      }
      return 0
    }
  }

  /// Syncs what was written: the content, and the metadata needed to read it.
  func sync(_ file: Int32, _ point: Failpoint) -> Int32 {
    perform(.sync(file: file), at: point, file) {
      while fdatasync(file) != 0 {
        if errno != EINTR { return errno }
      }
      return 0
    }
  }

  /// Some file systems cannot sync directories, and need not.
  func syncDirectory(_ directory: Int32, _ point: Failpoint) -> Int32 {
    perform(.syncDirectory, at: point, directory) {
      while fsync(directory) != 0 {
        if errno == EINVAL { return 0 }
        if errno != EINTR { return errno }
      }
      return 0
    }
  }

  func rename(_ from: String, to: String, _ point: Failpoint) -> Int32 {
    perform(.rename(from: from, to: to), at: point) { Glibc.rename(from, to) == 0 ? 0 : errno }
  }

  /// A missing file counts as removed.
  func unlink(_ path: String, _ point: Failpoint) -> Int32 {
    perform(.unlink(path: path), at: point) { Glibc.unlink(path) == 0 || errno == ENOENT ? 0 : errno }
  }

  /// An existing directory counts as made.
  func makeDirectory(_ path: String, _ point: Failpoint) -> Int32 {
    perform(.makeDirectory(path: path), at: point) {
      mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
    }
  }

  /// Makes a call that returns 0 or an `errno`, unless a test makes it fail.
  @inline(__always)
  private func perform(
    _ operation: @autoclosure () -> DiskOperation, at point: Failpoint, _ file: Int32 = -1,
    _ call: () -> Int32
  ) -> Int32 {
    #if DEBUG
      if let witness {
        let operation = operation()
        if let problem = witness.willPerform(operation, at: point) { return problem }
        let problem = call()
        if problem == 0 { witness.didPerform(operation, at: point, file: file) }
        return problem
      }
    #endif
    return call()
  }
}
