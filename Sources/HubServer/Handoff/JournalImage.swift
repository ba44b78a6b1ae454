// The journal in an image: its position and state, in numbers and descriptors. The thread that syncs it has ended before.

import HubCore
import HubEngine

/// One field for each of the frame's fields.
struct JournalImage: Equatable {
  var path: String
  var directory: Int32
  /// Locked for the process; another process must lock it again.
  var lock: Int32
  var file: Int32
  var number: UInt64
  var salt: UInt64
  var time: Int64
  /// The file's length when it got its name.
  var length: UInt64
  var origin: FileOrigin
  var prepared: UInt64
  var offset: UInt64
  var durable: JournalPosition
  var boot: BootID
  var files: [JournalFileName]
  var segmentBytes: UInt64
  var snapshotBytes: UInt64
  var nextNumber: UInt64
  var headlessBehind: JournalPosition?
  /// -1: there is none.
  var reachFile: Int32 = -1

  var descriptors: [Int32] { [directory, lock, file] + (reachFile >= 0 ? [reachFile] : []) }

  mutating func renumber(_ number: (Int32) -> Int32) {
    directory = number(directory)
    lock = number(lock)
    file = number(file)
    if reachFile >= 0 { reachFile = number(reachFile) }
  }

  func write(to out: inout OutputBuffer) {
    out.append(medium: path)
    for descriptor in [directory, lock, file, reachFile] { out.append(descriptor) }
    for word in [
      number, salt, UInt64(bitPattern: time), length, origin.inode, origin.birth, prepared, offset,
      durable.raw,
      boot.high, boot.low, segmentBytes, snapshotBytes, nextNumber,
    ] {
      out.append(word)
    }
    out.append(UInt32(files.count))
    for file in files {
      out.append(file.kind.rawValue)
      out.append(file.number)
    }
    out.append(headlessBehind?.raw ?? 0)
  }

  init?(reading reader: inout ByteReader) {
    path = reader.mediumBytes().text
    (directory, lock, file) = (reader.integer(), reader.integer(), reader.integer())
    reachFile = reader.integer()
    (number, salt, time, length) = (reader.integer(), reader.integer(), reader.integer(), reader.integer())
    origin = FileOrigin(inode: reader.integer(), birth: reader.integer())
    (prepared, offset) = (reader.integer(), reader.integer())
    durable = JournalPosition(raw: reader.integer())
    boot = BootID(high: reader.integer(), low: reader.integer())
    (segmentBytes, snapshotBytes, nextNumber) = (reader.integer(), reader.integer(), reader.integer())
    files = []
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      guard let kind = JournalFileKind(rawValue: reader.integer()), !reader.failed else { return nil }
      files.append(JournalFileName(kind, reader.integer()))
    }
    let behind = reader.integer(UInt64.self)
    headlessBehind = behind == 0 ? nil : JournalPosition(raw: behind)
    // Offsets have 40 bits.
    guard !reader.failed, prepared < 1 << 40, offset < 1 << 40, segmentBytes < 1 << 62,
      snapshotBytes < 1 << 62
    else { return nil }
  }
}

extension JournalImage {
  /// - Parameter durable: the journal is known to be on the disk up to here.
  init(_ state: JournalState, durable: JournalPosition, path: String, directory: Int32, lock: Int32) {
    (self.path, self.directory, self.lock) = (path, directory, lock)
    (file, reachFile) = (state.segment.file, state.reachFile)
    let header = state.segment.header
    (number, salt, time, length) = (header.number, header.salt, header.time, header.length)
    (origin, prepared) = (state.segment.origin, UInt64(state.segment.prepared))
    (offset, self.durable, boot, files) = (UInt64(state.offset), durable, state.boot, state.files)
    (segmentBytes, snapshotBytes) = (UInt64(state.segmentBytes), UInt64(state.snapshotBytes))
    (nextNumber, headlessBehind) = (state.nextNumber, state.headlessBehind)
  }

  var state: JournalState {
    JournalState(
      segment: SegmentFile(
        file: file,
        header: JournalFileHeader(kind: .journal, number: number, salt: salt, time: time, length: length),
        origin: origin, prepared: Int(prepared)),
      offset: Int(offset), durable: durable, headlessBehind: headlessBehind, boot: boot, files: files,
      segmentBytes: Int(segmentBytes), snapshotBytes: Int(snapshotBytes), nextNumber: nextNumber,
      reachFile: reachFile)
  }
}
