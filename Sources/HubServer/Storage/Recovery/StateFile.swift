// One of the files that hold a hub's state: its header is intact, and its records can be read.

import HubCore
import HubEngine

struct StateFile {
  /// Its position among the files of its directory.
  let index: Int
  let name: JournalFileName
  let bytes: ByteView
  let header: JournalFileHeader

  /// - Parameter salvages: a damaged header, or a file that is shorter than it was, does not matter if its records can be
  ///   distinguished from other bytes.
  init(
    _ index: Int, _ name: JournalFileName, _ file: JournalFileBytes, salvages: Bool = false
  ) throws(JournalProblem) {
    self.index = index
    self.name = name
    bytes = file.bytes
    if salvages {
      header = try JournalFileHeader(salvaging: file.bytes, named: name)
    } else {
      header = try JournalFileHeader(reading: file.bytes, named: name)
    }
  }

  var scan: RecordScan { RecordScan(bytes, header) }

  /// The first frame of a segment; nil: its first record is incomplete.
  var head: JournalFrame.Head? {
    var scan = scan
    guard let (_, record) = scan.next() else { return nil }
    var frames = FrameCursor(record.frames)
    guard let frame = frames.next(), case .head(let head)? = JournalFrame(frame) else { return nil }
    return head
  }

  func problem(_ offset: Int, _ reason: String) -> JournalProblem {
    JournalProblem(.damaged, name.description, at: offset, reason)
  }

  /// A snapshot was complete and on the disk before it got its name: every byte of it counts.
  func scanSnapshot() throws(JournalProblem) -> (end: Int, through: JournalPosition) {
    var scan = scan
    var last: JournalFrame?
    var isFirst = true
    while let (offset, record) = scan.next() {
      var frames = FrameCursor(record.frames)
      while let frame = frames.next() {
        last = JournalFrame(frame)
        if isFirst, last?.kind != .snapshot { throw problem(offset, "it does not begin with the state") }
        isFirst = false
      }
      if !frames.isAtEnd { throw problem(offset, "a record ends within a frame") }
    }
    guard case .complete(let through, _)? = last, scan.isAtEnd else {
      throw problem(scan.offset, "there is no complete record, although the whole snapshot is on the disk")
    }
    return (scan.offset, through)
  }
}
