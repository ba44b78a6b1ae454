// The checksum of records and headers: CRC-32C, by the processor's instruction where it has one, otherwise by a table.

package import HubCore
import HubSystem

/// A CRC-32C (Castagnoli) that is computed piece by piece.
package struct CRC32C {
  private var state: UInt32 = .max
  private static let hasInstruction = Processor.hasCRC32C

  package init() {}

  package var value: UInt32 { ~state }

  package mutating func append(_ bytes: ByteView) {
    state =
      CRC32C.hasInstruction
      ? Processor.crc32c(state, bytes.buffer) : CRC32C.table(state, bytes)
  }

  package mutating func append(_ word: UInt64) {
    var word = word.littleEndian
    withUnsafeBytes(of: &word) { append(ByteView($0)) }
  }

  package static func of(_ bytes: ByteView) -> UInt32 {
    var checksum = CRC32C()
    checksum.append(bytes)
    return checksum.value
  }

  // MARK: Without the instruction

  /// Castagnoli's, the lowest bit first.
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// What each of eight bytes contributes, by its distance from the end of the eight.
  private static let tables: [[UInt32]] = {
    var first = [UInt32](repeating: 0, count: 256)
    for byte in 0..<256 {
      var rest = UInt32(byte)
      for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ polynomial : rest >> 1 }
      first[byte] = rest
    }
    var tables = [first]
    for _ in 1..<8 {
      tables.append(tables.last!.map { first[Int($0 & 0xFF)] ^ $0 >> 8 })
    }
    return tables
  }()

  /// The same by tables, eight bytes at a time.
  static func table(_ start: UInt32, _ bytes: ByteView) -> UInt32 {
    var state = start
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = bytes.load(UInt64.self, at: offset) ^ UInt64(state)
      state = 0
      for index in 0..<8 { state ^= tables[7 - index][Int(word >> (index * 8) & 0xFF)] }
      offset += 8
    }
    while offset < bytes.count {
      state = tables[0][Int((state ^ UInt32(bytes[offset])) & 0xFF)] ^ state >> 8
      offset += 1
    }
    return state
  }
}
