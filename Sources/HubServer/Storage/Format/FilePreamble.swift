// What precedes a file's first record: the header, a second copy of it in its own page, and two marks next to that copy. So
// losing one page loses neither the salt nor both the newest records and the proof that they were on the disk.

package import HubCore
package import HubEngine

extension JournalFileHeader {
  /// A divisor of every machine's page size.
  static let pageLength = 4096
  /// Where the header is repeated.
  static let spareOffset = pageLength
  /// Where a file's first record begins.
  package static let recordsStart = 2 * pageLength

  /// Appends everything before the first record to an empty buffer. The marks name nothing yet.
  package func encodePreamble(into out: inout OutputBuffer) {
    precondition(out.isEmpty)
    encode(into: &out)
    JournalFileHeader.fill(&out, to: JournalFileHeader.spareOffset)
    encode(into: &out)
    JournalFileHeader.fill(&out, to: JournalFileHeader.recordsStart)
  }

  /// Makes the first mark of a new segment, which holds exactly these bytes, name all of it.
  func setFirstMark(in file: inout OutputBuffer) {
    var mark = OutputBuffer()
    let offset = DurableMark.offsets[0]
    DurableMark.encode(
      JournalPosition(segment: number, offset: file.count), at: offset, salt: salt, into: &mark)
    file.patch(mark.view.load(UInt64.self, at: 0), at: offset)
    file.patch(mark.view.load(UInt64.self, at: 8), at: offset + 8)
  }

  private static func fill(_ out: inout OutputBuffer, to length: Int) {
    while out.count < length { out.append(UInt64(0)) }
  }

  /// The header of a file, or its second copy if the first is damaged.
  ///
  /// - Throws: why the file's records cannot be distinguished from other bytes.
  init(salvaging file: ByteView, named name: JournalFileName) throws(JournalProblem) {
    do throws(JournalProblem) {
      try self.init(identifying: file, named: name)
    } catch {
      let spare = file.suffix(from: min(JournalFileHeader.spareOffset, file.count))
      guard error.kind == .damaged, let header = try? JournalFileHeader(identifying: spare, named: name)
      else { throw error }
      self = header
    }
  }
}

/// A position up to which the journal is on the disk, written near the records when they were synced.
///
/// A segment has two, written alternately, each in its own sector: a write torn by a power failure leaves the other one.
/// The higher one counts.
package enum DurableMark {
  package static let length = checksum.end
  package static let offsets = [4608, 5120]

  private static var position: Field<UInt64> { Field(at: 0) }
  /// Zeroes lie in between.
  private static var checksum: Field<UInt32> { Field(at: 12) }

  /// Appends the mark that will be written at `offset`.
  static func encode(_ position: JournalPosition, at offset: Int, salt: UInt64, into out: inout OutputBuffer)
  {
    let start = out.count
    out.append(position.raw)
    out.append(UInt32(0))
    out.append(checksum(of: out.view.suffix(from: start), at: offset, salt: salt))
  }

  /// The mark's position; nil if it is not whole.
  package static func read(_ file: ByteView, at offset: Int, salt: UInt64) -> JournalPosition? {
    guard file.count >= offset + length else { return nil }
    let mark = file.slice(offset, length)
    guard checksum(of: mark, at: offset, salt: salt) == mark[checksum] else { return nil }
    return JournalPosition(raw: mark[position])
  }

  /// The highest position that a mark of the file names.
  package static func highest(in file: ByteView, _ header: JournalFileHeader) -> JournalPosition {
    guard header.kind == .journal else { return .zero }
    return offsets.compactMap { read(file, at: $0, salt: header.salt) }.max() ?? .zero
  }

  /// - Parameter mark: at least what precedes the checksum.
  private static func checksum(of mark: ByteView, at offset: Int, salt: UInt64) -> UInt32 {
    var value = CRC32C()
    value.append(salt &+ UInt64(offset))
    value.append(mark.slice(0, checksum.offset))
    return value.value
  }
}

/// Which of a segment's marks is written next.
struct MarkWriter: Equatable, Sendable {
  private let salt: UInt64
  private(set) var next: Int

  /// - Parameter next: which is written next, 0 or 1.
  init(_ header: JournalFileHeader, next: Int) {
    salt = header.salt
    self.next = next
  }

  /// The next mark: its bytes and their offset. It counts as written.
  mutating func take(_ position: JournalPosition, into out: inout OutputBuffer) -> Int {
    let offset = DurableMark.offsets[next]
    DurableMark.encode(position, at: offset, salt: salt, into: &out)
    next = 1 - next
    return offset
  }
}
