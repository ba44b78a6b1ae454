// What a write leaves behind that the hub's end has interrupted. It is a function of bytes.

import HubCore

extension RecordScan {
  /// What stands behind the last whole record is the beginning of one that was never written to its end; nil if it is not.
  ///
  /// The system copies a write page by page, and a process that is killed meanwhile, or a disk without room, stops it at the
  /// border between two: behind that there is nothing. The hub shows nobody what is in a write before it is done. A record
  /// that was whole looks like this only if it lost everything from the border of a page on, which happens when the machine
  /// goes down, and not while it runs. A limit on the length of files stops a write at any byte, which is the file's last.
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
    // Only the header, or not even all of it.
    if border <= start { return kind }
    var frames = FrameCursor(file.slice(start, border - start))
    while let frame = frames.next() {
      guard frame.mayBeInJournal else { return nil }
    }
    // A record that is whole up to here, and has a wrong length, ends with a frame, and zeroes.
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
    EventKind(rawValue: rawKind)?.isChange ?? (JournalFrame.Kind(rawValue: rawKind) != nil)
  }
}
