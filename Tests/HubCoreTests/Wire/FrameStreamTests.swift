// Frames in a byte stream: found however it is split, refused as soon as they are too long.

import HubCore
import TestSupport
import Testing

@Suite struct FrameStreamTests {
  /// Random messages in one stream, and each of them.
  private func stream(seed: UInt64, count: Int) -> (bytes: [UInt8], frames: [[UInt8]]) {
    var generator = WireGenerator(seed: seed)
    let frames = (0..<count).map { _ in generator.message().frame }
    return (Array(frames.joined()), frames)
  }

  private func drain(_ assembler: inout FrameAssembler, into frames: inout [[UInt8]]) -> HubError? {
    var collected: [[UInt8]] = []
    let error = assembler.drain {
      collected.append($0.bytes.array)
      return true
    }
    frames += collected
    return error
  }

  @Test("one byte at a time gives every frame as soon as it is whole", arguments: UInt64(0)..<4)
  func singleBytes(seed: UInt64) {
    let (bytes, expected) = stream(seed: seed, count: 60)
    var ends: Set<Int> = []
    var end = 0
    for frame in expected {
      end += frame.count
      ends.insert(end)
    }
    var assembler = FrameAssembler()
    var frames: [[UInt8]] = []
    for (index, byte) in bytes.enumerated() {
      let before = frames.count
      [byte].withByteView { assembler.append($0) }
      #expect(drain(&assembler, into: &frames) == nil)
      #expect(frames.count - before == (ends.contains(index + 1) ? 1 : 0))
    }
    #expect(frames == expected)
    #expect(assembler.pending == 0)
  }

  @Test("any split of the stream gives the same frames", arguments: UInt64(0)..<24)
  func splits(seed: UInt64) {
    let (bytes, expected) = stream(seed: seed, count: 80)
    var random = SeededGenerator(seed: seed &+ 1000)
    var assembler = FrameAssembler()
    var frames: [[UInt8]] = []
    var offset = 0
    while offset < bytes.count {
      let longest = Bool.random(using: &random) ? 20 : 5000
      let count = min(bytes.count - offset, Int.random(in: 0...longest, using: &random))
      let piece = Array(bytes[offset..<offset + count])
      offset += count
      if Bool.random(using: &random) {
        piece.withByteView { assembler.append($0) }
      } else {
        assembler.fill(room: max(1, piece.count)) { room in
          room.copyBytes(from: piece)
          return piece.count
        }
      }
      // A reader may stop after any frame and continue later.
      if Int.random(in: 0..<4, using: &random) == 0 {
        var taken: [UInt8]?
        #expect(
          assembler.drain {
            taken = $0.bytes.array; return false
          } == nil)
        if let taken { frames.append(taken) }
      } else if Bool.random(using: &random) {
        #expect(drain(&assembler, into: &frames) == nil)
      }
    }
    #expect(drain(&assembler, into: &frames) == nil)
    #expect(frames == expected)
    #expect(assembler.pending == 0)
  }

  @Test("the reader says truthfully how many bytes it needs", arguments: UInt64(0)..<4)
  func needs(seed: UInt64) {
    var generator = WireGenerator(seed: seed)
    let reader = FrameReader()
    for _ in 0..<60 {
      let frame = generator.message().frame
      for length in 0..<frame.count {
        frame.withByteView { view in
          guard case .incomplete(let needed) = reader.scan(view.slice(0, length)) else {
            Issue.record("\(length) of \(frame.count) bytes are no frame")
            return
          }
          #expect(needed > length && needed <= frame.count)
          if length >= 4 { #expect(needed == frame.count) }
        }
      }
      (frame + [1, 2, 3]).withByteView { view in
        guard case .frame(let found) = reader.scan(view) else {
          Issue.record("a whole frame was not found")
          return
        }
        #expect(found.bytes.array == frame)
      }
    }
  }

  @Test("a frame of the longest length passes, one byte more breaks the stream once its header is whole")
  func limit() {
    let reader = FrameReader(maximumLength: 100)
    let longest = rawFrame(2, [UInt8](repeating: 0, count: 88))
    let tooLong = rawFrame(2, [UInt8](repeating: 0, count: 89))
    #expect(outcome(reader, longest) == "100 bytes")
    for count in 0..<Frame.headerLength {
      #expect(outcome(reader, Array(tooLong.prefix(count))) == "incomplete, 12 are needed", "\(count) bytes")
    }
    #expect(outcome(reader, Array(tooLong.prefix(12))) == "frameTooLarge")
    #expect(outcome(reader, [UInt8](repeating: 0xFF, count: 12)) == "frameTooLarge")
  }

  private func outcome(_ reader: FrameReader, _ bytes: [UInt8]) -> String {
    bytes.withByteView {
      switch reader.scan($0) {
      case .frame(let frame): "\(frame.bytes.count) bytes"
      case .incomplete(let needed): "incomplete, \(needed) are needed"
      case .tooLong(let length): "\(reader.error(tooLong: length).code)"
      }
    }
  }

  @Test("the frames before one that is too long are handed out, then the stream stays broken")
  func broken() {
    let good = Message.request(.ping, id: 1).frame
    var assembler = FrameAssembler(maximumLength: 64)
    (good + good + rawFrame(2, [UInt8](repeating: 0, count: 100)) + good).withByteView {
      assembler.append($0)
    }
    var frames: [[UInt8]] = []
    #expect(drain(&assembler, into: &frames)?.code == .frameTooLarge)
    #expect(frames == [good, good])
    #expect(drain(&assembler, into: &frames)?.code == .frameTooLarge)
    #expect(frames.count == 2)
  }
}
