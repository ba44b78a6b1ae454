// The ring of frames by itself, next to a list of what it should hold.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The change log")
struct ChangeLogTests {
  private struct Kept: Equatable {
    var bytes: [UInt8]
    var start: UInt64
    var end: UInt64
    var revision: Revision
  }

  private func frame(_ length: Int, revision: Revision) -> [UInt8] {
    var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: revision), count: length)
    bytes.withUnsafeMutableBytes { frame in
      let base = frame.baseAddress!
      Frame.writeHeader(to: base, EventKind.change.rawValue, flags: 0, request: 0, length: length)
      EventLayout.revision.write(revision, to: base)
    }
    return bytes
  }

  @discardableResult
  private func append(_ bytes: [UInt8], _ revision: Revision, to log: inout ChangeLog) -> Bool {
    guard let room = log.append(bytes.count, revision: revision) else { return false }
    bytes.withUnsafeBytes { room.copyMemory(from: $0.baseAddress!, byteCount: bytes.count) }
    return true
  }

  /// The frames from the tail on, with where they end.
  private func frames(_ log: borrowing ChangeLog) -> [(bytes: [UInt8], end: UInt64)] {
    var found: [(bytes: [UInt8], end: UInt64)] = []
    var position = log.tail
    while let next = log.next(after: position) {
      found.append((next.frame.bytes.array, next.end))
      position = next.end
    }
    return found
  }

  @Test("it holds the newest frames that fit, in order, whatever their lengths", arguments: 0..<40)
  func model(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let capacity = Int.random(in: 64...400, using: &random)
    let begin = UInt64.random(in: 0...1000, using: &random)
    var log = ChangeLog(capacity: capacity, head: begin, tailRevision: 0)
    var kept: [Kept] = []
    for revision in 1...300 as ClosedRange<UInt64> {
      let length = Int.random(in: EventLayout.body...(EventLayout.body + 60), using: &random)
      let before = log.head
      let bytes = frame(length, revision: revision)
      if append(bytes, revision, to: &log) {
        #expect(log.head - before >= UInt64(length) && log.head - before < UInt64(2 * length))
        kept.append(
          Kept(bytes: bytes, start: log.head - UInt64(length), end: log.head, revision: revision))
      } else {
        #expect(length > capacity && log.tail == log.head && log.tailRevision == revision)
        kept = []
      }
      if kept.count > 1, Int.random(in: 0..<10, using: &random) == 0 {
        // The newest frame is taken back.
        kept.removeLast()
        log.rewind(to: kept[kept.count - 1].end, revision: kept[kept.count - 1].revision)
        #expect(log.head == kept[kept.count - 1].end)
      }
      let found = frames(log)
      // What was dropped is the oldest, and no more than the frame needed.
      let dropped = kept.count - found.count
      #expect(dropped >= 0)
      if dropped > 0 {
        #expect(log.tailRevision == kept[dropped - 1].revision)
        kept.removeFirst(dropped)
      }
      #expect(found.map(\.bytes) == kept.map(\.bytes) && found.map(\.end) == kept.map(\.end))
      #expect(log.head - log.tail <= UInt64(capacity))
      for entry in kept {
        #expect(log.frame(endingAt: entry.end, length: entry.bytes.count)?.array == entry.bytes)
      }
      if let first = kept.first {
        #expect(log.frame(endingAt: log.tail, length: first.bytes.count) == nil)
        #expect(log.frame(endingAt: log.head + 1, length: first.bytes.count) == nil)
      }
    }
  }

  @Test("a ring filled to its last byte drops nothing")
  func exactly() {
    let length = 64
    var log = ChangeLog(capacity: 4 * length)
    for revision in 1...4 as ClosedRange<UInt64> {
      append(frame(length, revision: revision), revision, to: &log)
    }
    #expect(log.tail == 0 && log.head == UInt64(4 * length) && frames(log).count == 4)
    append(frame(length, revision: 5), 5, to: &log)
    #expect(log.tail == UInt64(length) && frames(log).count == 4 && log.tailRevision == 1)
  }

  @Test("frames are contiguous up to the ring's end, and not across it")
  func contiguous() {
    let length = 64
    var log = ChangeLog(capacity: 3 * length)
    for revision in 1...3 as ClosedRange<UInt64> {
      append(frame(length, revision: revision), revision, to: &log)
    }
    let end = log.head
    #expect(log.contiguous(from: 0, to: end)?.count == 3 * length)
    #expect(log.contiguous(from: 64, to: 128)?.array == frame(length, revision: 2))
    #expect(log.contiguous(from: end, to: end) == nil)
    #expect(log.contiguous(from: 0, to: end + 1) == nil)
    append(frame(length, revision: 4), 4, to: &log)
    #expect(log.contiguous(from: 0, to: end) == nil)
    #expect(log.contiguous(from: 128, to: end + 64) == nil)
    #expect(log.contiguous(from: end, to: end + 64)?.array == frame(length, revision: 4))
  }

  @Test("flags are changed only of a frame that is still there")
  func flags() {
    let length = 64
    var log = ChangeLog(capacity: 2 * length)
    for revision in 1...3 as ClosedRange<UInt64> {
      append(frame(length, revision: revision), revision, to: &log)
    }
    log.setFlags(5, ofFrameEndingAt: 128, length: length)
    log.setFlags(6, ofFrameEndingAt: 64, length: length)
    let flags = frames(log).map { $0.bytes[5] }
    #expect(flags == [5, 0])
  }

  @Test("what is taken back counts as never dropped, but not what was dropped before it")
  func rewound() {
    let length = 64
    var log = ChangeLog(capacity: 2 * length, tailRevision: 0)
    for revision in 1...3 as ClosedRange<UInt64> {
      append(frame(length, revision: revision), revision, to: &log)
    }
    log.rewind(to: 128, revision: 2)
    #expect(log.tail == 64 && log.tailRevision == 1 && frames(log).count == 1)
    log.rewind(to: 0, revision: 0)
    #expect(log.tail == 0 && log.head == 0 && log.tailRevision == 0 && frames(log).isEmpty)
  }

  @Test("a held frame stays as it was, whatever the log drops, and takes memory only then", arguments: 0..<40)
  func held(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var log = ChangeLog(capacity: Int.random(in: 200...600, using: &random))
    var held: [(rest: FrameRest, end: UInt64, bytes: [UInt8])] = []
    var most = 0
    for revision in 1...400 as ClosedRange<UInt64> {
      let bytes = frame(
        Int.random(in: EventLayout.body...(EventLayout.body + 90), using: &random), revision: revision)
      guard append(bytes, revision, to: &log) else { continue }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let rest = FrameRest(
          log.hold(endingAt: log.head, length: bytes.count),
          count: Int.random(in: 1...bytes.count, using: &random))
        held.append((rest, log.head, Array(bytes.suffix(rest.count))))
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) where !held.isEmpty {
        held.remove(at: Int.random(in: 0..<held.count, using: &random))
      }
      #expect(held.allSatisfy { log.bytes(of: $0.rest).array == $0.bytes })
      var aside: [UInt64: Int] = [:]
      for (rest, end, _) in held where rest.frame.isSetAside { aside[end] = rest.frame.length }
      #expect(log.bytesAside == aside.values.reduce(0, +))
      most = max(most, log.bytesAside)
      #expect(
        held.allSatisfy {
          $0.rest.frame.isSetAside == ($0.end - UInt64($0.rest.frame.length) < log.tail)
        })
    }
    #expect(most > 0)
    held = []
    #expect(log.bytesAside == 0)
  }
}
