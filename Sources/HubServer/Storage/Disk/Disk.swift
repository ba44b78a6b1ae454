// The system calls that the journal makes on its files, each at a named step, so that tests can make any of them fail or be
// the last. Outside debug builds there is nothing but the calls.

import HubCore
import HubSystem

/// A step of the journal at which a crash or an error makes a difference.
package enum Failpoint: String, Sendable, CaseIterable {
  case append, sync
  case mark, markSync
  case reserve
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

/// Calls that give nothing return why they failed.
package struct Disk: Sendable {
  /// The length that a new segment is given before it must be lengthened.
  var firstLength = 256 << 10

  #if DEBUG
    package var witness: (any DiskWitness)?
  #endif

  package init() {}

  /// Makes exceeding the file size limit an error of the call, as a full disk is, instead of ending the process.
  package static func takeLimitsAsErrors() { Signal.fileTooLong.ignore() }

  /// Creates a file that must not exist, for reading and writing.
  func create(_ path: String, _ point: Failpoint) throws(SystemError) -> Descriptor {
    #if DEBUG
      if let problem = witness?.willPerform(.create(path: path), at: point) { throw SystemError(problem) }
    #endif
    let file = try Descriptor(opening: path, [.readAndWrite, .create, .exclusive, .noFollow])
    #if DEBUG
      witness?.didPerform(.create(path: path), at: point, file: file.raw)
    #endif
    return file
  }

  /// Writes all bytes; if it fails, some may have been written.
  func write(_ bytes: ByteView, to file: Int32, at offset: Int, _ point: Failpoint) -> SystemError? {
    perform(.write(file: file, offset: offset, bytes: bytes.array), at: point, file) {
      File.write(bytes.buffer, to: file, at: offset)
    }
  }

  /// Syncs what was written: the content, and the metadata needed to read it.
  func sync(_ file: Int32, _ point: Failpoint) -> SystemError? {
    perform(.sync(file: file), at: point, file) { File.sync(file) }
  }

  func syncDirectory(_ directory: Int32, _ point: Failpoint) -> SystemError? {
    perform(.syncDirectory, at: point, directory) { File.syncDirectory(directory) }
  }

  func rename(_ from: String, to: String, _ point: Failpoint) -> SystemError? {
    perform(.rename(from: from, to: to), at: point) { File.rename(from, to: to) }
  }

  /// A missing file counts as removed.
  func unlink(_ path: String, _ point: Failpoint) -> SystemError? {
    perform(.unlink(path: path), at: point) { File.remove(path).unless(.noSuchFile) }
  }

  /// An existing directory counts as made.
  func makeDirectory(_ path: String, _ point: Failpoint) -> SystemError? {
    perform(.makeDirectory(path: path), at: point) { Directory.create(path).unless(.exists) }
  }

  /// Makes a call, unless a test makes it fail.
  @inline(__always)
  private func perform(
    _ operation: @autoclosure () -> DiskOperation, at point: Failpoint, _ file: Int32 = -1,
    _ call: () -> SystemError?
  ) -> SystemError? {
    #if DEBUG
      if let witness {
        let operation = operation()
        if let problem = witness.willPerform(operation, at: point) { return SystemError(problem) }
        let problem = call()
        if problem == nil { witness.didPerform(operation, at: point, file: file) }
        return problem
      }
    #endif
    return call()
  }
}

extension SystemError? {
  /// Nothing, if it is only this.
  fileprivate func unless(_ harmless: SystemError) -> SystemError? { self == harmless ? nil : self }
}
