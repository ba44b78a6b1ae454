// How a file is searched for records: with bounded effort, and never beyond its end.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("The search for records")
struct RecordScanTests {
  private static let salt: UInt64 = 11

  /// A whole record, as it stands at an offset of its file.
  private func record(at offset: Int) -> [UInt8] {
    var out = OutputBuffer()
    let start = JournalRecord.begin(in: &out)
    JournalFrame.reserved(revision: 3, serial: 4).encode(into: &out)
    JournalRecord.end(in: &out, from: start, salt: RecordScanTests.salt, offset: offset, durable: .zero)
    return out.array
  }

  private func finds(_ file: [UInt8]) -> Int? {
    file.withByteView {
      var scan = RecordScan($0, salt: RecordScanTests.salt, from: 0)
      while let piece = scan.nextPiece() {
        if case .record(_, let offset) = piece { return offset }
      }
      return nil
    }
  }

  @Test("a whole record is found behind what is none")
  func found() {
    let nothing = [UInt8](repeating: 0xFF, count: 800)
    #expect(finds(nothing + record(at: 800)) == 800)
  }

  @Test("a search of bytes that were made to be slow is given up")
  func effort() {
    // Each of these could be a record that reaches to the end, and only its checksum tells.
    var slow: [UInt8] = []
    let length = 16 << 10
    while slow.count < length {
      withUnsafeBytes(of: UInt64(length - slow.count).littleEndian) { slow += $0 }
    }
    #expect(finds(slow + record(at: length)) == nil)
  }
}
