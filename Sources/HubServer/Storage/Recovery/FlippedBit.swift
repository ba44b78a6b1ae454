// Distinguishes a record with one wrong bit from one that did not reach the disk whole. A function of bytes.

import HubCore

extension JournalRecord {
  /// Whether the bytes at `offset` are a record that would be whole with one of its bits flipped.
  ///
  /// A power failure loses sectors, which then still contain their former zeroes. So bytes with such a gap never count as
  /// this, even if a checksum happens to fit.
  static func isOneBitOff(in file: ByteView, at offset: Int, salt: UInt64) -> Bool {
    guard file.count - offset >= headerLength else { return false }
    let stated = UInt32(JournalRecord.length(in: file, at: offset))
    for bit in -1..<32 {
      // The stated length, and that with each of its bits flipped.
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

  /// Whether a sector of the file, as far as it belongs to the record, is zero.
  private static func hasGap(_ file: ByteView, _ offset: Int, _ length: Int) -> Bool {
    var start = offset
    while start < offset + length {
      let end = min((start / sectorLength + 1) * sectorLength, offset + length)
      if end - start >= 8, !file.slice(start, end - start).buffer.contains(where: { $0 != 0 }) { return true }
      start = end
    }
    return false
  }

  /// Whether the checksums differ as they do if one bit is flipped, in the checksum itself or in the last `count` bytes
  /// that it covers.
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
