// A record: a run of frames written at once, with its length, its checksum and what was durable at that time.

package import HubCore
package import HubEngine

/// `length: u32, checksum: u32, durable: u64`, then `length` bytes of frames, then zeroes up to a multiple of eight.
package struct JournalRecord {
  package static let headerLength = durable.end
  @inline(__always) static var length: Field<UInt32> { Field(at: 0) }
  @inline(__always) static var checksum: Field<UInt32> { Field(behind: length) }
  /// The checksum covers everything from here on.
  @inline(__always) static var durable: Field<UInt64> { Field(behind: checksum) }
  static let alignment = 8
  /// Longer records are never written: turns end earlier.
  package static let maximumLength = 1 << 31 - 1

  /// Everything before this was known to be on the disk when the record was written.
  package let durable: JournalPosition
  package let frames: ByteView

  /// The length of the frames according to the record at `offset`. The file reaches beyond that field.
  static func length(in file: ByteView, at offset: Int) -> Int { Int(file.suffix(from: offset)[length]) }

  /// How many bytes a record takes.
  package static func encodedLength(_ length: Int) -> Int {
    (headerLength + length + alignment - 1) & ~(alignment - 1)
  }

  /// The record at `offset` of a file, or nil if there is no whole one.
  package init?(in file: ByteView, at offset: Int, salt: UInt64) {
    guard file.count - offset >= JournalRecord.headerLength else { return nil }
    let length = JournalRecord.length(in: file, at: offset)
    guard length > 0, file.count - offset - JournalRecord.headerLength >= length else { return nil }
    let record = file.slice(offset, JournalRecord.headerLength + length)
    guard JournalRecord.checksum(of: record, salt: salt, offset: offset) == record[JournalRecord.checksum]
    else { return nil }
    durable = JournalPosition(raw: record[JournalRecord.durable])
    frames = record.suffix(from: JournalRecord.headerLength)
  }

  /// The record at `offset` of a file, which was found whole before.
  init(known file: ByteView, at offset: Int) {
    let record = file.slice(
      offset, JournalRecord.headerLength + JournalRecord.length(in: file, at: offset))
    durable = JournalPosition(raw: record[JournalRecord.durable])
    frames = record.suffix(from: JournalRecord.headerLength)
  }

  /// Where the next record begins.
  package func end(from offset: Int) -> Int { offset + JournalRecord.encodedLength(frames.count) }

  /// The checksum covers the salt and the offset, so that a record counts only in its own file and where it was written.
  static func checksum(of record: ByteView, salt: UInt64, offset: Int) -> UInt32 {
    var checksum = CRC32C()
    checksum.append(salt &+ UInt64(offset))
    checksum.append(UInt64(length(in: record, at: 0)))
    checksum.append(record.suffix(from: durable.offset))
    return checksum.value
  }

  /// Reserves space in an empty buffer for the header of a record whose frames are appended next.
  package static func begin(in buffer: inout OutputBuffer) -> Int {
    let start = buffer.count
    for _ in 0..<headerLength { buffer.append(UInt8(0)) }
    return start
  }

  /// Completes the record that began at `start` of the buffer and will be written at `offset` of its file.
  package static func end(
    in buffer: inout OutputBuffer, from start: Int, salt: UInt64, offset: Int, durable: JournalPosition
  ) {
    let length = buffer.count - start - headerLength
    precondition(length > 0 && length <= maximumLength)
    buffer.patch(UInt32(length), JournalRecord.length, from: start)
    buffer.patch(durable.raw, JournalRecord.durable, from: start)
    let record = buffer.view.suffix(from: start)
    let checksum = checksum(of: record, salt: salt, offset: offset)
    buffer.patch(checksum, JournalRecord.checksum, from: start)
    let padding = encodedLength(length) - headerLength - length
    for _ in 0..<padding { buffer.append(UInt8(0)) }
  }
}
