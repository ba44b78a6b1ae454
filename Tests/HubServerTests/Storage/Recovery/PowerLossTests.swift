// Simulated power failures: of what was not synced, any part may be there. Nothing lawful is mistaken for damage, nothing
// that was on the disk is lost, and what may have been lost changes the epoch.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: power failures", .blocking)
struct PowerLossTests {
  /// The hub's state after this many calls on the disk; everything up to `synced` was acknowledged as synced.
  private struct Moment {
    var calls: Int
    var content: [String: Content]
    var isSynced: Bool
  }

  private static let rounds = 40

  private func history(
    _ path: String, _ disk: RememberingDisk, seed: UInt64, longest: Int = 1500
  ) throws -> [Moment] {
    var random = SeededGenerator(seed: seed)
    let hub = try JournalHub(path, disk: disk.disk) { $0.defaultDurability = .relaxed }
    var moments = [Moment(calls: disk.count, content: [:], isSynced: true)]
    _ = hub.create("synced", Schema(type: .integer, durability: .synced))
    for round in 0..<PowerLossTests.rounds {
      let value = Int64(round + 1)
      if round % 13 == 7 { hub.snapshot() }
      let choice = Int.random(in: 0..<4, using: &random)
      switch choice {
      case 0: _ = hub.set("synced", value)
      case 1:
        let blob = Value.data(
          [UInt8](repeating: UInt8(round), count: Int.random(in: 0..<longest, using: &random)))
        _ = hub.write(.set(.name(try! StoreName("blob")), blob))
      case 2:
        let names = ["a", "b", "c"].map { StoreReference.name(try! StoreName($0)) }
        _ = hub.ask([.transaction(names.map { .set($0, .integer(value)) })])
      default: _ = hub.write(.set(.name(try! StoreName("d\(round % 3)")), .integer(value)))
      }
      moments.append(Moment(calls: disk.count, content: hub.content(), isSynced: choice == 0))
    }
    return moments
  }

  @Test("any remains are a state that existed, not before the last synced write", arguments: 0..<5)
  func remains(seed: Int) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = RememberingDisk()
    let moments = try history(directory.file("state"), disk, seed: UInt64(seed))
    let events = disk.events
    var random = SeededGenerator(seed: UInt64(seed) &* 7919 + 1)
    let base = directory.file("state") + "/"
    for attempt in 0..<5 {
      let cut = Int.random(in: moments[0].calls...events.count, using: &random)
      let files = RememberingDisk.remains(of: events[..<cut], using: &random)
      let path = directory.file("r\(attempt)")
      try writeFiles(
        Dictionary(uniqueKeysWithValues: files.map { (String($0.key.dropFirst(base.count)), $0.value) }),
        to: path)
      let hub = try JournalHub(path, boot: BootID(high: 2, low: 2))
      let content = hub.content()
      let first = moments.lastIndex { $0.calls <= cut && $0.isSynced } ?? 0
      let last = moments.firstIndex { $0.calls >= cut } ?? moments.count - 1
      // The initial state of `synced` is between the first two moments.
      let isLawful =
        moments[first...max(first, last)].contains { $0.content == content }
        || (first == 0 && content.keys.allSatisfy { $0 == "synced" })
      #expect(isLawful, "seed \(seed), attempt \(attempt), cut \(cut): \(content)")
      #expect(hub.notes.contains { $0.contains("a new epoch begins") })
      #expect(hub.set("later", 1) == .done(.relaxed))
      _ = consume hub
      let again = try JournalHub(path, boot: BootID(high: 2, low: 2))
      let later = again.content()
      #expect(later["later"]?.value == .integer(1))
      #expect(later.filter { $0.key != "later" } == content)
    }
  }

  @Test(
    "damage besides a power failure is refused, or costs no more than the last sync",
    arguments: 0..<5)
  func damage(seed: Int) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = RememberingDisk()
    let moments = try history(directory.file("state"), disk, seed: UInt64(seed), longest: 6000)
    let events = disk.events
    var random = SeededGenerator(seed: UInt64(seed) &* 104_729 + 7)
    let base = directory.file("state") + "/"
    let synced = moments.indices.filter { moments[$0].isSynced }
    var refused = 0
    for attempt in 0..<60 {
      let cut = Int.random(in: moments[synced[min(3, synced.count - 1)]].calls...events.count, using: &random)
      var files = RememberingDisk.remains(of: events[..<cut], using: &random)
      let known = synced.filter { moments[$0].calls <= cut }
      let isBit = attempt % 2 == 0
      guard let name = files.keys.sorted().randomElement(using: &random), let bytes = files[name],
        let end = bytes.lastIndex(where: { $0 != 0 }), end > 0
      else { continue }
      if isBit {
        // Within what was written, not in the room prepared ahead.
        files[name]![Int.random(in: 0...end, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      } else {
        let page = Int.random(in: 0...end / 4096, using: &random) * 4096
        let value: UInt8 = attempt % 4 == 1 ? 0 : 0xEE
        for index in page..<min(page + 4096, bytes.count) { files[name]![index] = value }
      }
      let path = directory.file("d\(attempt)")
      try writeFiles(
        Dictionary(uniqueKeysWithValues: files.map { (String($0.key.dropFirst(base.count)), $0.value) }),
        to: path)
      do throws(any Error) {
        let content = try JournalHub(path, boot: BootID(high: 2, low: 2)).content()
        let first = known.dropLast().last ?? 0
        let last = moments.firstIndex { $0.calls >= cut } ?? moments.count - 1
        let isLawful = moments[first...max(first, last)].contains { $0.content == content }
        #expect(isLawful, "seed \(seed), attempt \(attempt), \(name): \(content)")
      } catch {
        refused += 1
        #expect("\(error)".contains("is damaged"), "\(error)")
      }
    }
    #expect(refused > 5)
  }

  @Test("with the same boot everything that was written is there, and the epoch stays")
  func hubAlone() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let disk = RememberingDisk()
    let moments = try history(directory.file("state"), disk, seed: 3)
    let hub = try JournalHub(directory.file("state"))
    #expect(hub.notes.isEmpty)
    #expect(hub.content() == moments.last?.content)
  }
}
