// A segment's file: created complete under its name, and lengthened ahead of what is written to it.

import HubCore
import HubEngine
import HubSystem

/// A segment that is ready to be written to.
struct SegmentFile: Equatable, Sendable {
  /// The last holder closes it.
  var file: Int32
  var header: JournalFileHeader
  var origin: FileOrigin
  /// Up to here zeroes were written: once a sync has taken them along, syncing what replaces them changes no metadata.
  var prepared: Int
  /// Nil: the file is not written to.
  var marks: MarkWriter?
}

extension SegmentFile {
  private static let zeroes = [UInt8](repeating: 0, count: 64 << 10)

  /// Creates a new segment. When this returns, it is on the disk under its name; if it fails, nothing of it is left.
  ///
  /// - Parameter first: assembles the first record, once its file is known: everything before this segment is on the
  ///   disk. Nil: that is not certain.
  static func create(
    _ number: UInt64, in directory: borrowing StateDirectory, time: Int64, disk: Disk,
    first: ((inout OutputBuffer, SegmentFile) -> Void)? = nil
  ) throws(StorageFailure) -> SegmentFile {
    let name = JournalFileName(.journal, number)
    let path = directory.file(name.temporary)
    File.remove(path)
    let header = JournalFileHeader(
      kind: .journal, number: number, salt: .random(in: .min ... .max), time: time,
      length: UInt64(disk.firstLength))
    let file = try SystemError.attempt(disk.create(path, .segmentCreate).release()) {
      StorageFailure("create \(name)", $0)
    }
    lock(file)
    var segment = SegmentFile(
      file: file, header: header, origin: FileOrigin(of: file), prepared: disk.firstLength,
      marks: MarkWriter(header, next: first == nil ? 0 : 1))
    var bytes = OutputBuffer(capacity: 16 << 10)
    header.encodePreamble(into: &bytes)
    if let first {
      first(&bytes, segment)
      // It gets its name only when it is on the disk, so this holds before it can be read.
      header.setFirstMark(in: &bytes)
    }
    segment.prepared = max(disk.firstLength, bytes.count)
    do throws(StorageFailure) {
      try segment.write(bytes.view, name, disk)
      try check("rename \(name)", disk.rename(path, to: directory.file(name.description), .segmentRename))
    } catch {
      Descriptor.close(file)
      _ = disk.unlink(path, .unlink)
      throw error
    }
    if let problem = disk.syncDirectory(directory.directory.raw, .segmentSyncDirectory) {
      Descriptor.close(file)
      // No client has seen any of it.
      _ = disk.unlink(directory.file(name.description), .unlink)
      throw StorageFailure("sync the directory", problem)
    }
    return segment
  }

  /// Locks a segment that is written to, so that no other hub continues it even if the directory's lock file was removed. On a
  /// file system without locks that file has failed before.
  static func lock(_ file: Int32) { _ = try? FileLock.take(file) }

  private func write(_ bytes: ByteView, _ name: JournalFileName, _ disk: Disk) throws(StorageFailure) {
    try SegmentFile.check("write \(name)", disk.write(bytes, to: file, at: 0, .segmentWrite))
    let problem = SegmentFile.fill(file, from: bytes.count, to: prepared, disk: disk, .segmentWrite)
    try SegmentFile.check("write \(name)", problem)
    try SegmentFile.check("sync \(name)", disk.sync(file, .segmentSync))
  }

  private static func check(_ step: String, _ problem: SystemError?) throws(StorageFailure) {
    if let problem { throw StorageFailure(step, problem) }
  }

  /// Reserves room for records by zeroes. The next sync of records takes them along: a reply would have to wait for a sync of their
  /// own.
  static func reserve(_ file: Int32, from: Int, to: Int, disk: Disk) -> SystemError? {
    fill(file, from: from, to: to, disk: disk, .reserve)
  }

  /// Syncs a segment of an earlier life: what is said about it from now on must stay true.
  static func syncOld(_ path: String, _ name: String, _ disk: Disk) throws(StorageFailure) {
    let file = try SystemError.attempt(Descriptor(opening: path, .careful)) {
      StorageFailure("open \(name)", $0)
    }
    if let problem = disk.sync(file.raw, .recoverSync) {
      throw StorageFailure("sync \(name)", problem)
    }
  }

  private static func fill(_ file: Int32, from: Int, to: Int, disk: Disk, _ point: Failpoint) -> SystemError?
  {
    var offset = from
    while offset < to {
      let count = min(zeroes.count, to - offset)
      let problem = zeroes.withByteView { disk.write($0.slice(0, count), to: file, at: offset, point) }
      if let problem { return problem }
      offset += count
    }
    return nil
  }
}

extension FileOrigin {
  /// The file system's record of an open file.
  init(of file: Int32) {
    let origin = File.origin(of: file)
    self.init(inode: origin.inode, birth: origin.birth)
  }
}

/// A failed step on the disk.
struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  var step: String
  var reason: SystemError

  init(_ step: String, _ reason: SystemError) { (self.step, self.reason) = (step, reason) }

  var description: String { "\(step): \(reason)" }
}
