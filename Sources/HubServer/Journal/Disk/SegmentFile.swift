// A segment's file: how it comes into being, complete under its name, and is lengthened ahead of what is written to it.

import CLinux
import Glibc
import HubCore

/// A segment that is ready to be written to.
struct SegmentFile: Sendable {
  /// Whoever holds it last closes it.
  var file: Int32
  var header: JournalFileHeader
  var origin: FileOrigin
  /// So far zeroes were written, so that syncing what replaces them changes nothing about the file itself.
  var prepared: Int
}

extension SegmentFile {
  private static let zeroes = [UInt8](repeating: 0, count: 64 << 10)

  /// Makes a new segment. When this returns, it is on the disk under its name.
  ///
  /// - Parameter first: puts together the first record, once it is known which file it goes to; may append nothing.
  static func create(
    _ number: UInt64, in directory: borrowing StateDirectory, time: Int64, disk: Disk,
    first: (inout OutputBuffer, SegmentFile) -> Void = { _, _ in }
  ) throws(StorageFailure) -> SegmentFile {
    let name = JournalFileName(.journal, number)
    let path = directory.file(name.temporary)
    _ = Glibc.unlink(path)
    let header = JournalFileHeader(
      kind: .journal, number: number, salt: .random(in: .min ... .max), time: time,
      length: UInt64(disk.firstLength))
    let (file, problem) = disk.create(path, .segmentCreate)
    if problem != 0 { throw StorageFailure("create \(name)", problem) }
    var segment = SegmentFile(
      file: file, header: header, origin: FileOrigin(of: file), prepared: disk.firstLength)
    var bytes = OutputBuffer(capacity: 4096)
    header.encode(into: &bytes)
    first(&bytes, segment)
    do throws(StorageFailure) {
      try check("write \(name)", disk.write(bytes.view, to: file, at: 0, .segmentWrite))
      if bytes.count < disk.firstLength {
        try check(
          "write \(name)", fill(file, from: bytes.count, to: disk.firstLength, disk: disk, .segmentWrite))
      } else {
        segment.prepared = bytes.count
      }
      try check("sync \(name)", disk.sync(file, .segmentSync))
      try check("rename \(name)", disk.rename(path, to: directory.file(name.description), .segmentRename))
      try check(
        "sync the directory", disk.syncDirectory(directory.directory.raw, .segmentSyncDirectory))
    } catch {
      close(file)
      throw error
    }
    return segment
  }

  private static func check(_ step: String, _ problem: Int32) throws(StorageFailure) {
    if problem != 0 { throw StorageFailure(step, problem) }
  }

  /// Writes zeroes, and brings them to the disk.
  ///
  /// - Parameter unlessWritten: runs what it is given, with where the records end, or returns nil: nobody writes there before
  ///   it returns. What was written meanwhile must not be overwritten.
  static func prepare(
    _ file: Int32, from: Int, to: Int, disk: Disk, unlessWritten: ((Int) -> Int32) -> Int32?
  ) -> Int32 {
    var offset = from
    while offset < to {
      let next = min(offset + zeroes.count, to)
      let problem = unlessWritten { end in
        end >= next ? 0 : fill(file, from: max(offset, end), to: next, disk: disk, .prepare)
      }
      guard let problem else { return 0 }
      if problem != 0 { return problem }
      offset = next
    }
    return disk.sync(file, .prepareSync)
  }

  /// Puts zeroes where a write that failed has left something behind.
  ///
  /// - Parameter from: where the records end. Nobody writes to the file before this returns, but zeroes.
  static func clear(_ file: Int32, from: Int, disk: Disk) -> Int32 {
    var chunk = zeroes
    var offset = from
    while true {
      let count = chunk.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(offset)) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return count < 0 ? errno : 0 }
      if let last = chunk[..<count].lastIndex(where: { $0 != 0 }) {
        let problem = fill(file, from: offset, to: offset + last + 1, disk: disk, .clear)
        if problem != 0 { return problem }
      }
      offset += count
    }
  }

  private static func fill(_ file: Int32, from: Int, to: Int, disk: Disk, _ point: Failpoint) -> Int32 {
    var offset = from
    while offset < to {
      let count = min(zeroes.count, to - offset)
      let problem = zeroes.withByteView { disk.write($0.slice(0, count), to: file, at: offset, point) }
      if problem != 0 { return problem }
      offset += count
    }
    return 0
  }
}

extension FileOrigin {
  /// What the file system tells of an open file.
  init(of file: Int32) {
    var (inode, birth): (UInt64, UInt64) = (0, 0)
    clinux_file_origin(file, &inode, &birth)
    self.init(inode: inode, birth: birth)
  }
}

/// A step on the disk that failed.
struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  var step: String
  var code: Int32

  init(_ step: String, _ code: Int32) {
    self.step = step
    self.code = code
  }

  var description: String { "\(step): \(ServerError.text(of: code))" }
}
