// What a write leaves behind that the hub's end has interrupted. It is a function of bytes.

import HubCore

extension RecordScan {
  /// Pages are a multiple of this on every machine.
  private static let pageLength = 4096

  /// What stands behind the last whole record is the beginning of one that was never written to its end.
  ///
  /// The system copies a write page by page, and a process that is killed meanwhile, or a disk without room, stops it at the
  /// border between two: behind that there is nothing. The hub shows nobody what is in a write before it is done. A record
  /// that was whole looks like this only if it lost everything from the border of a page on, which happens when the machine
  /// goes down, and not while it runs.
  package var isUnfinishedWrite: Bool {
    let start = offset + JournalRecord.headerLength
    let border = (endOfBytes + RecordScan.pageLength - 1) & ~(RecordScan.pageLength - 1)
    guard border > offset, border <= file.count else { return false }
    let length = Int(file.load(UInt32.self, at: offset))
    guard length > 0, length <= JournalRecord.maximumLength, start + length > border else { return false }
    var behind = self
    if behind.skip() { return false }
    // Only the header, or not even all of it.
    if border <= start { return true }
    var frames = FrameScan(file.slice(start, border - start))
    while let frame = frames.next() {
      guard frame.mayBeInJournal else { return false }
    }
    // A record that is whole up to here, and has a wrong length, ends with a frame, and zeroes.
    return frames.remainder.buffer.contains { $0 != 0 } && frames.remainder.mayBeginJournalFrame
  }
}

extension ByteView {
  /// As far as can be seen.
  fileprivate var mayBeginJournalFrame: Bool {
    count < Frame.headerLength || FrameView(bytes: self).mayBeInJournal
  }
}

extension FrameView {
  fileprivate var mayBeInJournal: Bool {
    switch kind {
    case .change, .created, .removed: true
    default: JournalFrame.Kind(rawValue: rawKind) != nil
    }
  }
}
