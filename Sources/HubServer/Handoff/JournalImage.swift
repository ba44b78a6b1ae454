// The journal in an image: its position and state, in numbers and descriptors. The thread that syncs it has already ended.

import HubCore
import HubEngine

struct JournalImage: Equatable {
  var path: String
  var directory: Int32
  /// Locked for the process; another process must lock it again.
  var lock: Int32
  var state: JournalState

  var descriptors: [Int32] {
    [directory, lock, state.segment.file] + (state.reachFile >= 0 ? [state.reachFile] : [])
  }

  mutating func renumber(_ number: (Int32) -> Int32) {
    directory = number(directory)
    lock = number(lock)
    state.segment.file = number(state.segment.file)
    if state.reachFile >= 0 { state.reachFile = number(state.reachFile) }
  }

  func write(to out: inout OutputBuffer) {
    let (segment, header) = (state.segment, state.segment.header)
    out.append(medium: path)
    for descriptor in [directory, lock, segment.file, state.reachFile] { out.append(descriptor) }
    for word in [
      header.number, header.salt, UInt64(bitPattern: header.time), header.length, segment.origin.inode,
      segment.origin.birth, UInt64(segment.prepared), UInt64(segment.marks?.next ?? 0), UInt64(state.offset),
      state.durable.raw, state.boot.high, state.boot.low, UInt64(state.segmentBytes),
      UInt64(state.snapshotBytes), state.nextNumber,
    ] {
      out.append(word)
    }
    out.append(UInt32(state.files.count))
    for file in state.files {
      out.append(file.kind.rawValue)
      out.append(file.number)
    }
  }
}

extension JournalImage {
  init?(reading reader: inout ByteReader) {
    path = reader.mediumBytes().text
    (directory, lock) = (reader.integer(), reader.integer())
    let (file, reachFile) = (reader.integer(Int32.self), reader.integer(Int32.self))
    let header = JournalFileHeader(
      kind: .journal, number: reader.integer(), salt: reader.integer(), time: reader.integer(),
      length: reader.integer())
    let origin = FileOrigin(inode: reader.integer(), birth: reader.integer())
    // Offsets have 40 bits.
    guard let prepared = reader.length(below: 1 << 40), let nextMark = reader.length(below: 2),
      let offset = reader.length(below: 1 << 40)
    else { return nil }
    let durable = JournalPosition(raw: reader.integer())
    let boot = BootID(high: reader.integer(), low: reader.integer())
    guard let segmentBytes = reader.length(below: 1 << 62), let snapshotBytes = reader.length(below: 1 << 62)
    else { return nil }
    state = JournalState(
      segment: SegmentFile(
        file: file, header: header, origin: origin, prepared: prepared,
        marks: MarkWriter(header, next: nextMark)),
      offset: offset, durable: durable, boot: boot, files: [], segmentBytes: segmentBytes,
      snapshotBytes: snapshotBytes, nextNumber: reader.integer(), reachFile: reachFile)
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      guard let kind = JournalFileKind(rawValue: reader.integer()), !reader.failed else { return nil }
      state.files.append(JournalFileName(kind, reader.integer()))
    }
    if reader.failed { return nil }
  }
}

extension ByteReader {
  fileprivate mutating func length(below limit: UInt64) -> Int? {
    let length = integer(UInt64.self)
    return length < limit ? Int(length) : nil
  }
}
