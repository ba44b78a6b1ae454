// Random damage to frames.

import HubCore
import TestSupport

extension WireGenerator {
  /// The frame with a few random changes after its length, which is set to match.
  mutating func mutation(of frame: [UInt8]) -> [UInt8] {
    var bytes = frame
    for _ in 0...count(3) {
      while bytes.count < Frame.headerLength { bytes.append(0) }
      let index = 4 + count(bytes.count - 5)
      switch count(5) {
      case 0: bytes[index] ^= 1 << UInt8(count(7))
      case 1: bytes[index] = integer()
      case 2: bytes.insert(integer(), at: index)
      case 3: if bytes.count > Frame.headerLength { bytes.remove(at: index) }
      case 4: bytes += (0...count(20)).map { _ in integer(UInt8.self) }
      default:
        let other = message().frame
        let end = min(bytes.count, index + count(20))
        bytes.replaceSubrange(index..<end, with: other.dropFirst(count(other.count)).prefix(end - index))
      }
    }
    while bytes.count < Frame.headerLength { bytes.append(0) }
    return bytes.replacingPayload(bytes.payload)
  }
}
