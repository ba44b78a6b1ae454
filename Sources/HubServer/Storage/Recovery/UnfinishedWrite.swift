// What a write leaves behind if the hub's end interrupts it. A function of bytes.

import HubCore
import HubEngine

extension RecordScan {
  /// How a write was cut short, if the bytes after the last whole record are the beginning of one that was never
  /// completely written; otherwise nil.
  ///
  /// The system copies a write page by page, and a process that is killed meanwhile, or a disk without room, stops it at a
  /// page border: after that there is nothing. The hub shows no client what is in a write before the write is done. A
  /// record that was whole looks like this only if it lost everything from a page border on, which happens when the machine
  /// goes down, not while it runs. A file size limit stops a write at any byte, which is the file's last.
  package var unfinishedWrite: RecoveryPlan.Cut.Kind? {
    let start = offset + JournalRecord.headerLength
    let page = JournalFileHeader.pageLength
    let pageEnd = (endOfBytes + page - 1) & ~(page - 1)
    let border = min(pageEnd, file.count)
    guard border - offset >= JournalRecord.length.end else { return nil }
    let length = JournalRecord.length(in: file, at: offset)
    guard length > 0, length <= JournalRecord.maximumLength, start + length > border else { return nil }
    var behind = self
    if behind.skip() { return nil }
    let kind: RecoveryPlan.Cut.Kind = border == pageEnd ? .unfinishedWrite : .shortFile
    // Only the header, or part of it.
    if border <= start { return kind }
    var frames = FrameCursor(file.slice(start, border - start))
    while let frame = frames.next() {
      guard frame.mayBeInJournal else { return nil }
    }
    // A whole record up to here, with a wrong length, ends with a frame, and zeroes.
    let goesOn = frames.rest.buffer.contains { $0 != 0 } && frames.rest.mayBeginJournalFrame
    return goesOn ? kind : nil
  }
}

extension ByteView {
  /// As far as can be seen.
  fileprivate var mayBeginJournalFrame: Bool {
    count < Frame.headerLength || FrameView(bytes: self).mayBeInJournal
  }
}

extension FrameView {
  var mayBeInJournal: Bool {
    EventKind(rawValue: rawKind)?.isChange
      ?? (JournalFrame.Kind(rawValue: rawKind) != nil || rawKind == PackedStores.kind)
  }
}
