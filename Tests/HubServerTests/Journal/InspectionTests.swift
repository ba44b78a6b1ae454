// Looking into a state directory, and saving what is left of a damaged one: both are functions of bytes.

import HubCore
import Testing

@testable import HubServer

@Suite("Inspection and salvage")
struct InspectionTests {
  private func inspect(_ files: [JournalFileBytes]) -> (items: [String], summary: InspectionSummary) {
    var items: [String] = []
    let summary = Inspection.run(files) { item in
      switch item {
      case .file(let file): items.append(file.name)
      case .frame(let frame, let offset):
        items.append(
          "\(offset) \(frame.kind) \(frame.revision ?? 0) \(frame.name ?? "-") \(frame.value?.description ?? "-")"
        )
      case .gap(let from, let to): items.append("gap \(from) \(to)")
      }
    }
    return (items, summary)
  }

  @Test("an inspection shows every frame with its place, and changes with their stores' names")
  func frames() throws {
    let directory = SampleDirectory.usual()
    let (items, summary) = directory.read { inspect($0) }
    #expect(items.first == "snapshot-0000000000000003")
    #expect(items.contains("64 created 10 a.number 1"))
    #expect(items.contains("\(directory.offsets[1]) created 40 b.new true"))
    #expect(items.last == "\(directory.offsets[2]) change 41 a.text two")
    #expect(items.filter { $0.contains(" change ") && $0.contains("a.number") }.count == 10)
    #expect(!items.contains { $0.hasPrefix("gap") })
    let plan = try summary.plan.get()
    #expect(plan.segments.count == 2 && plan.epoch == SampleDirectory.epoch && summary.stores == 3)
  }

  @Test("bytes that are no record are a gap, and what is whole behind them is shown")
  func gaps() {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    for step in 1...5 as ClosedRange<UInt64> {
      directory.record { SampleDirectory.created("s\(step)", step, step, .integer(1)).encode(into: &$0) }
    }
    var bytes = directory.files[0].bytes
    bytes[directory.offsets[3] + 20] ^= 1
    let (items, _) = directory.read(replacing: "journal-0000000000000001", with: bytes) { inspect($0) }
    #expect(items.contains("gap \(directory.offsets[3]) \(directory.offsets[4])"))
    #expect(items.contains("\(directory.offsets[4]) created 4 s4 1"))
    #expect(!items.contains { $0.contains("s3") })
  }

  // MARK: Salvage

  private func values(_ salvage: Salvage) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: salvage.stores.values.map { ($0.name, $0.state.value) })
  }

  private static let whole: [String: Value] = [
    "a.number": .integer(110), "a.text": .string("two"), "b.new": .boolean(true),
  ]

  @Test("of a directory without damage everything is saved, and nothing given up")
  func nothingLost() {
    let salvage = SampleDirectory.usual().read { Salvage($0) }
    #expect(values(salvage) == InspectionTests.whole)
    #expect(salvage.losses.isEmpty && salvage.orphans == 0)
    #expect(salvage.revision >= 1000 && salvage.serial >= 100 && salvage.nextNumber == 5)
  }

  @Test("whichever bit of the journal is flipped, only what its record held is given up, and that is said")
  func flippedBits() {
    let directory = SampleDirectory.usual()
    for (name, bytes) in directory.files where name.hasPrefix("journal") {
      for bit in stride(from: 0, to: bytes.count * 8, by: 7) {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        let salvage = directory.read(replacing: name, with: damaged) { Salvage($0) }
        let saved = values(salvage)
        for (store, value) in saved {
          let allowed: Bool =
            switch store {
            case "a.number": (1...110).contains { value == .integer(Int64($0)) }
            case "a.text": value == .string("one") || value == .string("two")
            default: value == InspectionTests.whole[store]
            }
          #expect(allowed, "\(name) bit \(bit): \(store) is \(value)")
        }
        if saved != InspectionTests.whole { #expect(!salvage.losses.isEmpty, "\(name) bit \(bit): silent") }
        // A damaged header costs its file; anything else one record.
        if bit / 8 >= JournalFileHeader.length { #expect(saved.count >= 2 && salvage.losses.count <= 2) }
      }
    }
  }

  @Test("a truncated file costs what was cut off, whatever the length")
  func truncations() {
    let directory = SampleDirectory.usual()
    for (name, bytes) in directory.files {
      for length in 0..<bytes.count {
        let salvage = directory.read(replacing: name, with: Array(bytes[..<length])) { Salvage($0) }
        for (store, value) in values(salvage) where store == "b.new" { #expect(value == .boolean(true)) }
        if name.hasPrefix("journal"), length >= JournalFileHeader.length {
          #expect(salvage.stores.count >= 2)
        }
      }
    }
  }

  @Test("of a damaged snapshot the stores are saved that are whole, and those that the journal describes")
  func damagedSnapshot() {
    let directory = SampleDirectory.usual()
    var bytes = directory.files[0].bytes
    bytes[JournalFileHeader.length + 30] ^= 1
    let salvage = directory.read(replacing: directory.files[0].name, with: bytes) { Salvage($0) }
    #expect(values(salvage) == ["b.new": .boolean(true)])
    #expect(salvage.orphans == 11 && salvage.losses.count == 1)
  }

  @Test("what a later segment has cut off does not come back")
  func cutTails() {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    directory.record { SampleDirectory.created("kept", 1, 1, .integer(1)).encode(into: &$0) }
    let end = directory.end
    directory.record { SampleDirectory.change(1, 2, 2, .integer(2)).encode(into: &$0) }
    directory.begin(.journal, 2)
    directory.head(previous: end)
    let salvage = directory.read { Salvage($0) }
    #expect(values(salvage) == ["kept": .integer(1)] && salvage.losses.isEmpty)
  }

  @Test("a value that ends by itself is saved as what it goes back to")
  func lapsed() {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    directory.record {
      SampleDirectory.created("mode", 1, 1, .string("off")).encode(into: &$0)
      SampleDirectory.change(1, 2, 2, .string("on")).encode(into: &$0)
      JournalFrame.unstored(StoreID(raw: 1 << 24), revision: 3, version: 3, whole: false).encode(into: &$0)
    }
    #expect(values(directory.read { Salvage($0) }) == ["mode": .string("off")])
  }
}
