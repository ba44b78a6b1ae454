// The growing buffer that frames are written into, and how it cuts texts that are too long.

import HubCore
import TestSupport
import Testing

@Suite struct OutputBufferTests {
  @Test("what was appended is there, however the buffer had to grow")
  func growth() {
    var buffer = OutputBuffer(capacity: 1)
    var expected: [UInt8] = []
    for index in 0..<1000 {
      let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index % 7)
      buffer.append(piece)
      buffer.append(UInt16(index))
      expected += piece + [UInt8(truncatingIfNeeded: index), UInt8(index >> 8)]
    }
    #expect(buffer.array == expected)
  }

  @Test("dropping from the front and cutting from the end keep the rest")
  func dropping() {
    var buffer = OutputBuffer(capacity: 4)
    buffer.append((0..<100).map { UInt8($0) })
    buffer.dropFirst(30)
    buffer.truncate(to: 40)
    #expect(buffer.array == (30..<70).map { UInt8($0) })
    buffer.dropFirst(40)
    #expect(buffer.array.isEmpty)
  }

  @Test("a buffer that had grown large gives its memory back when it is cleared")
  func clearing() {
    var buffer = OutputBuffer(capacity: 8)
    buffer.append([UInt8](repeating: 1, count: 10_000))
    buffer.clear(keeping: 64)
    #expect(buffer.capacity == 64)
    #expect(buffer.array.isEmpty)
    buffer.append(UInt64(5))
    #expect(buffer.count == 8)
  }

  @Test("filling takes as many bytes as the reader says")
  func filling() {
    var buffer = OutputBuffer(capacity: 1)
    buffer.append(UInt8(9))
    buffer.fill(room: 100) { room in
      #expect(room.count >= 100)
      room[0] = 7
      room[1] = 8
      return 2
    }
    #expect(buffer.array == [9, 7, 8])
  }

  @Test(
    "a text that is too long for its count is cut before a character, never within one",
    arguments: UInt64(0)..<8)
  func cutting(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let characters = ["a", "é", "€", "😀", "e\u{301}", "\u{FFFD}", "👨‍👩‍👧"]
    for _ in 0..<200 {
      var text = ""
      let wanted = Int.random(in: 240...300, using: &random)
      while text.utf8.count < wanted { text += characters.randomElement(using: &random)! }
      var buffer = OutputBuffer()
      buffer.append(short: text)
      let bytes = buffer.array
      #expect(Int(bytes[0]) == bytes.count - 1)
      #expect(text.utf8.starts(with: bytes.dropFirst()))
      #expect(String(validating: bytes.dropFirst(), as: UTF8.self) != nil)
      #expect(bytes.count - 1 >= min(text.utf8.count, 252), "no more is cut than one character")
    }
  }

  @Test("a medium text is cut at 65,535 bytes")
  func mediumTexts() {
    var buffer = OutputBuffer()
    buffer.append(medium: String(repeating: "é", count: 40_000))
    #expect(buffer.array.prefix(2) == [0xFE, 0xFF])
    #expect(buffer.count == 2 + 65_534)
    buffer.clear()
    buffer.append(medium: "")
    #expect(buffer.array == [0, 0])
  }
}
