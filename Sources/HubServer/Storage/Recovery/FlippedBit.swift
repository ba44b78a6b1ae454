// Telling a record with one wrong bit from one that did not reach the disk as a whole. It is a function of bytes.

import HubCore

extension JournalRecord {
  /// What stands at `offset` is a record that would be whole if one of its bits were another.
  ///
  /// A power failure leaves out sectors, which then hold the zeroes that were there before. So nothing with such a gap is taken
  /// for this, whatever a lucky checksum says.
  static func isOneBitOff(in file: ByteView, at offset: Int, salt: UInt64) -> Bool {
    guard file.count - offset >= headerLength else { return false }
    let stated = UInt32(JournalRecord.length(in: file, at: offset))
    for bit in -1..<32 {
      // As it says, and with each bit of its length turned.
      let length = Int(bit < 0 ? stated : stated ^ 1 << UInt32(bit))
      guard length > 0, length <= maximumLength, file.count - offset - headerLength >= length else {
        continue
      }
      let record = file.slice(offset, headerLength + length)
      if hasGap(file, offset, record.count) { continue }
      let difference =
        checksum(of: record, length: length, salt: salt, offset: offset) ^ record[JournalRecord.checksum]
      if bit >= 0 ? difference == 0 : isOneBit(difference, of: covered(record).count) { return true }
    }
    return false
  }

  private static let sectorLength = 512

  /// A sector of the file, as far as it is the record's, is zero.
  private static func hasGap(_ file: ByteView, _ offset: Int, _ length: Int) -> Bool {
    var start = offset
    while start < offset + length {
      let end = min((start / sectorLength + 1) * sectorLength, offset + length)
      if end - start >= 8, !file.slice(start, end - start).buffer.contains(where: { $0 != 0 }) { return true }
      start = end
    }
    return false
  }

  /// The checksum differs as it does if one bit is turned, in itself or in the last `count` bytes that it goes over.
  private static func isOneBit(_ difference: UInt32, of count: Int) -> Bool {
    if difference.nonzeroBitCount == 1 { return true }
    var effect = CRC32C.polynomial
    for _ in 0..<count * 8 {
      if effect == difference { return true }
      effect = effect & 1 == 1 ? effect >> 1 ^ CRC32C.polynomial : effect >> 1
    }
    return false
  }
}
