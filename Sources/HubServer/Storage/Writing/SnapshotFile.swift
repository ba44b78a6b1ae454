// A snapshot's file while it is written: under a temporary name until all of it is on the disk.

import HubCore
import HubEngine
import HubSystem

/// An incomplete snapshot. It is removed with this value, unless it was finished.
struct SnapshotFile: ~Copyable {
  private let name: JournalFileName
  private let path: String
  private let file: Descriptor
  private let salt: UInt64
  private let disk: Disk
  private var offset: Int
  /// Up to here it is on the disk.
  private var synced = 0
  private var isFinished = false

  /// So much is written before it is synced: the last sync has little to wait for, and there are few of them.
  private static let syncedAtOnce = 256 << 10

  init(
    _ number: UInt64, in directory: borrowing StateDirectory, time: Int64, disk: Disk
  ) throws(StorageFailure) {
    let header = JournalFileHeader(
      kind: .snapshot, number: number, salt: .random(in: .min ... .max), time: time)
    name = JournalFileName(.snapshot, number)
    path = directory.file(name.temporary)
    salt = header.salt
    self.disk = disk
    offset = JournalFileHeader.recordsStart
    file = try SnapshotFile.create(path, header, name, disk)
  }

  private static func create(
    _ path: String, _ header: JournalFileHeader, _ name: JournalFileName, _ disk: Disk
  ) throws(StorageFailure) -> Descriptor {
    File.remove(path)
    let file = try SystemError.attempt(disk.create(path, .snapshotCreate)) {
      StorageFailure("create \(name)", $0)
    }
    var bytes = OutputBuffer(capacity: 16 << 10)
    header.encodePreamble(into: &bytes)
    if let problem = disk.write(bytes.view, to: file.raw, at: 0, .snapshotWrite) {
      _ = disk.unlink(path, .unlink)
      throw StorageFailure("write \(name)", problem)
    }
    return file
  }

  deinit { if !isFinished { File.remove(path) } }

  /// Writes one record.
  mutating func append(_ frames: [UInt8]) throws(StorageFailure) {
    var record = OutputBuffer(capacity: JournalRecord.encodedLength(frames.count))
    let start = JournalRecord.begin(in: &record)
    record.append(frames)
    JournalRecord.end(in: &record, from: start, salt: salt, offset: offset, durable: .zero)
    if let problem = disk.write(record.view, to: file.raw, at: offset, .snapshotWrite) {
      throw StorageFailure("write \(name)", problem)
    }
    offset += record.count
    if offset - synced >= SnapshotFile.syncedAtOnce { try sync() }
  }

  private mutating func sync() throws(StorageFailure) {
    if let problem = disk.sync(file.raw, .snapshotSync) { throw StorageFailure("sync \(name)", problem) }
    synced = offset
  }

  /// Renames it to its final name.
  ///
  /// - Returns: its length.
  mutating func finish(in directory: borrowing StateDirectory) throws(StorageFailure) -> Int {
    if synced < offset { try sync() }
    if let problem = disk.rename(path, to: directory.file(name.description), .snapshotRename) {
      throw StorageFailure("rename \(name)", problem)
    }
    isFinished = true
    if let problem = disk.syncDirectory(directory.directory.raw, .snapshotSyncDirectory) {
      throw StorageFailure("sync the directory", problem)
    }
    return offset
  }
}
