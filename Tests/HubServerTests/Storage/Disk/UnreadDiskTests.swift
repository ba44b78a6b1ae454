// Bytes that a disk cannot read are located, and everything around them is read.

import HubCore
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal: disks that cannot be read", .blocking)
struct UnreadDiskTests {
  /// Reads a file of `length` bytes, some of whose pages cannot be read.
  private func read(_ length: Int, bad: Set<Int>, most: Int = .max) -> (bytes: [UInt8], unread: Int?) {
    let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 + 1) }
    var bytes = [UInt8](repeating: 0, count: length)
    let unread = bytes.withUnsafeMutableBytes { buffer in
      MappedFile.fill(buffer) { place, offset in
        let page = offset / 4096
        if bad.contains(page) { return .failed(.inputOutput) }
        // As a system does: up to the unreadable page.
        let end = bad.filter { $0 > page }.min().map { $0 * 4096 } ?? length
        let count = min(place.count, end - offset, most)
        place.copyBytes(from: content[offset..<offset + count])
        return .bytes(count)
      }
    }
    for index in 0..<length where !bad.contains(index / 4096) {
      if bytes[index] != content[index] { return (bytes, -1) }
    }
    return (bytes, unread)
  }

  @Test("every page that can be read is, whichever cannot", arguments: [1, 4096, 20_000, 40_960])
  func pages(length: Int) {
    #expect(read(length, bad: []).unread == nil)
    for first in 0...(length - 1) / 4096 {
      for bad in [[first], [first, first + 1], [first, first + 3]] {
        #expect(read(length, bad: Set(bad)).unread == first * 4096, "\(bad)")
        #expect(read(length, bad: Set(bad), most: 1000).unread == first * 4096, "\(bad)")
      }
    }
  }
}
