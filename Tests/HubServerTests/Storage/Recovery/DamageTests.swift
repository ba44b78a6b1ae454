// Every flipped bit, every lost sector and page, and every truncation of small state directories of several shapes. Each is
// recovered as it was, or refused with words that say where; or, only after what was synced, the tail is cut. There is no
// other outcome.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: damage", .blocking)
struct DamageTests {
  /// Where the damage was, and its result.
  private struct Verdicts {
    let shape: Shape
    var exact = 0
    var refused = 0
    var cut = 0

    /// - Parameters:
    ///   - place: the damaged bytes of the file.
    ///   - isFlip: one bit was flipped, which no power failure does.
    ///   - what: for people.
    mutating func check(
      _ files: [String: [UInt8]], _ file: String, _ place: Range<Int>, isFlip: Bool,
      _ what: @autoclosure () -> String
    ) {
      for isSameBoot in [true, false] {
        let text = "\(shape.name), \(file), \(what()), \(isSameBoot ? "same boot" : "other boot")"
        switch shape.recover(files, isSameBoot: isSameBoot) {
        case .refused(let reason):
          refused += 1
          #expect(reason.contains("is damaged") || reason.contains("format"), "\(text): \(reason)")
          // A power failure may do anything to what was not synced, and must not prevent a start.
          if !isSameBoot, !isFlip, isUnsynced(file, place) { Issue.record("\(text): \(reason)") }
        case .taken(let content, let keepsEpoch):
          let before = shape.states.last == content ? nil : shape.states.lastIndex(of: content)
          if content == shape.states.last {
            exact += 1
          } else if let before {
            cut += 1
            #expect(before >= shape.synced, "\(text): back to \(before)")
            #expect(isUnsynced(file, place), "\(text): synced bytes are cut")
            // Zeroes look as if nothing had been written.
            if isFlip || files[file]![place].contains(where: { $0 != 0 }) { #expect(!keepsEpoch, "\(text)") }
          } else {
            Issue.record("\(text): a state that never was: \(content)")
          }
        }
      }
    }

    /// Whether all damaged bytes are after what was synced.
    private func isUnsynced(_ file: String, _ place: Range<Int>) -> Bool {
      guard let name = JournalFileName(file), name.kind == .journal else { return false }
      return JournalPosition(segment: name.number, offset: place.lowerBound) >= shape.durable
        && place.lowerBound >= JournalFileHeader.recordsStart
    }
  }

  @Test("an undamaged directory is restored as it was", arguments: Shape.names)
  func whole(name: String) throws {
    let shape = try Shape(name)
    let same = shape.recover(shape.files, isSameBoot: true)
    #expect(same == .taken(shape.states.last!, keepsEpoch: true))
    let other = shape.recover(shape.files, isSameBoot: false)
    #expect(other == .taken(shape.states.last!, keepsEpoch: false))
  }

  @Test("whichever bit is flipped: as it was, refused, or cut after what was synced", arguments: Shape.names)
  func flips(name: String) throws {
    let shape = try Shape(name)
    var verdicts = Verdicts(shape: shape)
    for (file, bytes) in shape.files.sorted(by: { $0.key < $1.key }) {
      var damaged = shape.files
      let used = shape.used(file)
      for bit in 0..<min(used.upperBound + 24, bytes.count) * 8 where isTried(bit) {
        // Of a run of equal bytes, zeroes or others, a few are enough.
        let byte = bit / 8
        let isDull =
          byte > 0 && byte + 1 < bytes.count && bytes[byte - 1] == bytes[byte]
          && bytes[byte + 1] == bytes[byte]
        if isDull, bit % 997 != 0 { continue }
        damaged[file]![byte] ^= 1 << (bit % 8)
        verdicts.check(damaged, file, byte..<byte + 1, isFlip: true, "bit \(bit)")
        damaged[file]![byte] = bytes[byte]
      }
    }
    let least = isEveryPlaceTried ? 500 : 15
    #expect(verdicts.exact > 0 && verdicts.refused > least, "\(name): \(verdicts.exact), \(verdicts.refused)")
  }

  @Test(
    "whichever sector or page is lost: as it was, refused, or cut after what was synced",
    arguments: Shape.names)
  func losses(name: String) throws {
    let shape = try Shape(name)
    var verdicts = Verdicts(shape: shape)
    var random = SeededGenerator(seed: 11)
    for (file, bytes) in shape.files.sorted(by: { $0.key < $1.key }) {
      for length in [512, 4096] {
        for start in stride(from: 0, to: bytes.count, by: length) where isTried(start / length) {
          let place = start..<min(start + length, bytes.count)
          var damaged = shape.files
          for index in place { damaged[file]![index] = 0 }
          if damaged[file] != bytes {
            verdicts.check(damaged, file, place, isFlip: false, "zeroes at \(place)")
          }
          for index in place { damaged[file]![index] = .random(in: 1...255, using: &random) }
          verdicts.check(damaged, file, place, isFlip: false, "garbage at \(place)")
        }
      }
    }
    #expect(verdicts.exact > 0 && verdicts.refused > 0 || !isEveryPlaceTried)
  }

  @Test(
    "whatever a file is truncated to: as it was, refused, or cut after what was synced",
    arguments: Shape.names)
  func truncations(name: String) throws {
    let shape = try Shape(name)
    var verdicts = Verdicts(shape: shape)
    for (file, bytes) in shape.files.sorted(by: { $0.key < $1.key }) {
      // Losing the zeroes after the last record loses nothing.
      let end = bytes.lastIndex { $0 != 0 } ?? 0
      for length in 0...end where length % 64 < 2 || length > shape.used(file).upperBound - 200 {
        if !isTried(length) { continue }
        var damaged = shape.files
        damaged[file] = Array(bytes[..<length])
        switch shape.recover(damaged, isSameBoot: true) {
        case .refused(let reason): #expect(reason.contains("is damaged"), "\(reason)")
        case .taken(let content, _):
          let state = shape.states.lastIndex(of: content)
          #expect(state ?? -1 >= shape.synced, "\(name), \(file), length \(length)")
        }
        verdicts.refused += 1
      }
    }
    #expect(verdicts.refused > 0)
  }

  @Test("a missing file is told by its name", arguments: ["many segments", "snapshot and journal"])
  func missing(name: String) throws {
    let shape = try Shape(name)
    let last = shape.files.keys.filter { $0.hasPrefix("journal") }.max()
    // Nothing refers to a newest segment, except a snapshot.
    for file in shape.files.keys where file != last || name == "snapshot and journal" {
      var damaged = shape.files
      damaged[file] = nil
      guard case .refused(let reason) = shape.recover(damaged, isSameBoot: true) else {
        Issue.record("\(file) is not missed")
        continue
      }
      #expect(reason.contains("is missing"), "\(reason)")
    }
  }

  @Test("what was synced is known to have been at a second place", arguments: Shape.names)
  func marks(name: String) throws {
    let shape = try Shape(name)
    let highest = shape.files.compactMap { file, bytes -> JournalPosition? in
      guard let name = JournalFileName(file), name.kind == .journal else { return nil }
      return bytes.withByteView { view in
        (try? JournalFileHeader(reading: view, named: name)).map { DurableMark.highest(in: view, $0) }
      }
    }.max()
    #expect(highest ?? .zero >= shape.syncedEnd)
    #expect(shape.syncedEnd > .zero)
  }
}
