// Walks through a file's records, even past the first incomplete one. It judges nothing.

package import HubCore
package import HubEngine

/// The records of one file, one after another.
package struct RecordScan {
  let file: ByteView
  private let salt: UInt64
  /// Bytes that searches may still checksum.
  private var effort: Int
  /// The records before this offset were found whole before.
  private let known: Int
  /// Where the next record would begin.
  package private(set) var offset: Int

  /// - Parameter known: where an earlier scan of the same bytes has ended: no checksum before it is computed again.
  package init(_ file: ByteView, _ header: JournalFileHeader, known: Int = 0) {
    self.init(file, salt: header.salt, known: known)
  }

  package init(
    _ file: ByteView, salt: UInt64, from offset: Int = JournalFileHeader.recordsStart, known: Int = 0
  ) {
    self.file = file
    self.salt = salt
    self.offset = offset
    self.known = known
    effort = file.count * RecordScan.searchEffort
  }

  /// The next record; nil if no whole one begins here.
  package mutating func next() -> (offset: Int, record: JournalRecord)? {
    let found =
      offset < known
      ? JournalRecord(known: file, at: offset) : JournalRecord(in: file, at: offset, salt: salt)
    guard let record = found else { return nil }
    defer { offset = record.end(from: offset) }
    return (offset, record)
  }

  /// Whether only zeroes follow.
  package var isAtEnd: Bool { endOfBytes <= offset }

  /// What lies in a file, one after another.
  enum Piece {
    case record(JournalRecord, offset: Int)
    /// Bytes that are not a whole record.
    case gap(Range<Int>)
  }

  /// The next record or gap before `limit`. Only the zeroes at the end of a file are neither.
  ///
  /// - Parameter limit: the file counts up to here, even if it is zeroes; nil: to its end.
  mutating func nextPiece(before limit: Int? = nil) -> Piece? {
    if let limit, offset >= limit { return nil }
    if let (offset, record) = next() { return .record(record, offset: offset) }
    let start = offset
    let end = limit ?? endOfBytes
    if !skip() || offset > end { offset = end }
    return offset > start ? .gap(start..<offset) : nil
  }

  /// Bytes that searches may checksum per byte of the file: only crafted content needs more.
  private static let searchEffort = 64

  /// The offset, at or after the last whole record, from which only zeroes follow.
  package var endOfBytes: Int {
    var end = file.count
    while end - 8 >= offset, file.load(UInt64.self, at: end - 8) == 0 { end -= 8 }
    while end > offset, file[end - 1] == 0 { end -= 1 }
    return max(end, offset)
  }

  /// The highest position that complete records after the current offset name as durable. What lies between them does not
  /// matter: after a power failure later writes may be present and earlier ones missing.
  package func highestDurableBeyond() -> JournalPosition {
    var highest = JournalPosition.zero
    var scan = self
    while let piece = scan.nextPiece() {
      if case .record(let record, _) = piece { highest = max(highest, record.durable) }
    }
    return highest
  }

  /// Moves to the next complete record after the current offset, at which none begins.
  ///
  /// - Returns: whether there is one.
  private mutating func skip() -> Bool {
    var candidate = (offset + JournalRecord.alignment - 1) & ~(JournalRecord.alignment - 1)
    while candidate + JournalRecord.headerLength <= file.count {
      let length = JournalRecord.length(in: file, at: candidate)
      if length > 0, length <= file.count - candidate - JournalRecord.headerLength, effort >= length {
        effort -= length
        if JournalRecord(in: file, at: candidate, salt: salt) != nil {
          offset = candidate
          return true
        }
      }
      candidate += JournalRecord.alignment
    }
    return false
  }
}
