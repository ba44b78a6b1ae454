// A snapshot's file while it is written: under a temporary name until all of it is on the disk.

import Glibc
import HubCore

/// An incomplete snapshot. It is removed with this value, unless it was finished.
struct SnapshotFile: ~Copyable {
  private let name: JournalFileName
  private let path: String
  private let file: Descriptor
  private let salt: UInt64
  private let disk: Disk
  private var offset: Int
  private var isFinished = false

  init(
    _ number: UInt64, in directory: borrowing StateDirectory, time: Int64, disk: Disk
  ) throws(StorageFailure) {
    let header = JournalFileHeader(
      kind: .snapshot, number: number, salt: .random(in: .min ... .max), time: time)
    name = JournalFileName(.snapshot, number)
    path = directory.file(name.temporary)
    salt = header.salt
    self.disk = disk
    offset = header.recordsStart
    file = try SnapshotFile.create(path, header, name, disk)
  }

  private static func create(
    _ path: String, _ header: JournalFileHeader, _ name: JournalFileName, _ disk: Disk
  ) throws(StorageFailure) -> Descriptor {
    _ = Glibc.unlink(path)
    let (raw, problem) = disk.create(path, .snapshotCreate)
    guard problem == 0, let file = try? Descriptor(raw, from: "open") else {
      throw StorageFailure("create \(name)", problem)
    }
    var bytes = OutputBuffer(capacity: 16 << 10)
    header.encodePreamble(into: &bytes)
    let failed = disk.write(bytes.view, to: raw, at: 0, .snapshotWrite)
    if failed != 0 {
      _ = disk.unlink(path, .unlink)
      throw StorageFailure("write \(name)", failed)
    }
    return file
  }

  deinit { if !isFinished { _ = Glibc.unlink(path) } }

  /// Writes one record and syncs it, so that the last one has little to wait for.
  mutating func append(_ frames: [UInt8]) throws(StorageFailure) {
    var record = OutputBuffer(capacity: JournalRecord.encodedLength(frames.count))
    let start = JournalRecord.begin(in: &record)
    record.append(frames)
    JournalRecord.end(in: &record, from: start, salt: salt, offset: offset, durable: .zero)
    let problem = disk.write(record.view, to: file.raw, at: offset, .snapshotWrite)
    if problem != 0 { throw StorageFailure("write \(name)", problem) }
    offset += record.count
    let failed = disk.sync(file.raw, .snapshotSync)
    if failed != 0 { throw StorageFailure("sync \(name)", failed) }
  }

  /// Renames it to its final name.
  ///
  /// - Returns: its length.
  mutating func finish(in directory: borrowing StateDirectory) throws(StorageFailure) -> Int {
    let problem = disk.rename(path, to: directory.file(name.description), .snapshotRename)
    if problem != 0 { throw StorageFailure("rename \(name)", problem) }
    isFinished = true
    let failed = disk.syncDirectory(directory.directory.raw, .snapshotSyncDirectory)
    if failed != 0 { throw StorageFailure("sync the directory", failed) }
    return offset
  }
}
