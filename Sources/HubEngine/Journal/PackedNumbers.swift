// Numbers in as few bytes as they need, for the stores in snapshots.

import HubCore

extension OutputBuffer {
  /// Seven bits a byte, the lowest first; the highest bit marks that more follow.
  @inline(__always)
  mutating func append(packed number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// How far a number lies from another, modulo 2^64: `2 * d` upwards, `2 * d - 1` downwards.
  @inline(__always)
  mutating func append(step from: UInt64, to: UInt64) {
    let step = Int64(bitPattern: to &- from)
    append(packed: UInt64(bitPattern: step << 1 ^ step >> 63))
  }
}

extension ByteReader {
  /// Fails if the number does not fit in 64 bits.
  @inline(__always)
  mutating func packed() -> UInt64 {
    let first = integer(UInt8.self)
    return first < 0x80 ? UInt64(first) : packed(after: first)
  }

  private mutating func packed(after first: UInt8) -> UInt64 {
    var number = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let byte = integer(UInt8.self)
      if shift == 63, byte > 1 { fail() }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 || failed { return number }
      shift += 7
    }
  }

  /// The number that lies a step away from this one.
  @inline(__always)
  mutating func step(from number: UInt64) -> UInt64 {
    let step = packed()
    return number &+ (step >> 1 ^ (0 &- (step & 1)))
  }
}
