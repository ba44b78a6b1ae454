// Inspecting a state directory, and salvaging a damaged one: both are functions of bytes.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Inspection and salvage", .blocking)
struct InspectionTests {
  private func inspect(_ files: [JournalFileBytes]) -> (items: [String], summary: InspectionSummary) {
    var items: [String] = []
    Inspection.visit(files) { item in
      switch item {
      case .file(let file): items.append(file.name)
      case .frame(let frame, let offset):
        items.append(
          "\(offset) \(frame.kind) \(frame.revision ?? 0) \(frame.name ?? "-") \(frame.value?.description ?? "-")"
        )
      case .gap(let from, let to): items.append("gap \(from) \(to)")
      }
    }
    return (items, Inspection.summary(of: files, boot: .unknown) { _ in FileOrigin(inode: 0, birth: 0) })
  }

  @Test("an inspection shows every frame with its place, and changes with their stores' names")
  func frames() throws {
    let directory = SampleDirectory.usual()
    let (items, summary) = directory.read { inspect($0) }
    #expect(items.first == "snapshot-0000000000000003")
    #expect(items.contains("8192 created 10 a.number 1"))
    #expect(items.contains("\(directory.offsets[1]) created 40 b.new true"))
    #expect(items.last == "\(directory.offsets[2]) change 41 a.text two")
    #expect(items.filter { $0.contains(" change ") && $0.contains("a.number") }.count == 10)
    #expect(!items.contains { $0.hasPrefix("gap") })
    let plan = try summary.plan.get()
    #expect(plan.segments.count == 2 && plan.epoch == SampleDirectory.epoch && summary.stores == 3)
  }

  @Test("bytes that are not a record are a gap, and what is whole after them is shown")
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

  private static let now = Clocks.now

  /// What is salvaged of the files of a directory.
  private struct Saved {
    var values: [String: Value] = [:]
    var ttl: [String: UInt64] = [:]
    var losses: [Salvage.Loss]
    var (records, orphans, abandoned) = (0, 0, 0)
    var revision: Revision
    var serial: UInt64
    var nextNumber: UInt64

    init(_ files: [JournalFileBytes]) {
      var salvage = Salvage(files, now: InspectionTests.now)
      (records, orphans, abandoned) = (salvage.records, salvage.orphans, salvage.abandoned)
      (losses, nextNumber) = (salvage.losses, salvage.nextNumber)
      (revision, serial) = (salvage.engine.revision, salvage.engine.lastSerial)
      let session = SessionID(raw: 1)
      salvage.engine.open(session, peer: Peer(pid: 1, uid: 1, gid: 1), now: InspectionTests.now)
      _ = Saved.ask(.hello(name: "t"), session, &salvage.engine)
      guard case .listed(let page, _)? = Saved.ask(.list(.everything), session, &salvage.engine) else {
        return
      }
      for store in page {
        values[store.name] = store.value
        let describe = Request.describe(.name(try! StoreName(store.name)))
        guard case .described(let reply)? = Saved.ask(describe, session, &salvage.engine) else { continue }
        ttl[store.name] = reply.ttl
      }
    }

    private static func ask(_ request: Request, _ session: SessionID, _ engine: inout HubEngine) -> Reply? {
      var frame = OutputBuffer()
      var out = OutputBuffer()
      request.encode(into: &frame, id: 1)
      _ = engine.receive(
        FrameView(bytes: frame.view), from: session, in: engine.openTurn(), now: InspectionTests.now,
        into: &out)
      var cursor = FrameCursor(out.view)
      return cursor.next().flatMap { try? Reply(decoding: $0) }
    }
  }

  private static let whole: [String: Value] = [
    "a.number": .integer(110), "a.text": .string("two"), "b.new": .boolean(true),
  ]

  @Test("of a directory without damage everything is saved, and nothing given up")
  func nothingLost() {
    let salvage = SampleDirectory.usual().read { Saved($0) }
    #expect(salvage.values == InspectionTests.whole)
    #expect(salvage.losses.isEmpty && salvage.orphans == 0)
    #expect(salvage.revision >= 1000 && salvage.serial >= 100 && salvage.nextNumber == 5)
  }

  @Test("whichever bit of the journal is flipped, only what its record held is given up, and that is said")
  func flippedBits() {
    let directory = SampleDirectory.usual()
    for (name, bytes) in directory.files where name.hasPrefix("journal") {
      for bit in stride(from: 0, to: bytes.count * 8, by: 7)
      where isTried(bit) && (bit < 512 || bit > 8192 * 8 || bit % 11 == 0) {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        let salvage = directory.read(replacing: name, with: damaged) { Saved($0) }
        let saved = salvage.values
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
        // It costs at most one record, whatever the header says.
        #expect(saved.count >= 2 && salvage.losses.count <= 2)
        if bit / 8 < JournalFileHeader.length {
          #expect(saved == InspectionTests.whole, "\(name) bit \(bit)")
        }
      }
    }
  }

  @Test("a truncated file costs what was cut off, whatever the length")
  func truncations() {
    let directory = SampleDirectory.usual()
    for (name, bytes) in directory.files {
      for length in 0..<bytes.count where isTried(length) && (length > 8100 || length % 97 == 0) {
        let salvage = directory.read(replacing: name, with: Array(bytes[..<length])) { Saved($0) }
        for (store, value) in salvage.values where store == "b.new" { #expect(value == .boolean(true)) }
        if name.hasPrefix("journal"), length >= JournalFileHeader.recordsStart {
          #expect(salvage.values.count >= 2)
        }
      }
    }
  }

  @Test("whichever header or page of headers is lost, every record is saved")
  func headers() {
    var directory = SampleDirectory()
    directory.begin(.journal, 7)
    directory.head()
    directory.record { SampleDirectory.created("s", 1, 1, .integer(1)).encode(into: &$0) }
    for step in 2...50 as ClosedRange<UInt64> {
      directory.record { SampleDirectory.change(1, step, step, .integer(Int64(step))).encode(into: &$0) }
    }
    let (name, bytes) = directory.files[0]
    func check(_ damaged: [UInt8], _ what: String) {
      let salvage = directory.read(replacing: name, with: damaged) { Saved($0) }
      #expect(salvage.records == 51 && salvage.losses.isEmpty, "\(what): \(salvage.records) records")
      #expect(salvage.values["s"] == .integer(50), "\(what)")
    }
    var random = SeededGenerator(seed: 1)
    for page in [0..<4096, 4096..<8192] {
      for place in [page.lowerBound..<page.lowerBound + 64, page] {
        for isGarbage in [false, true] {
          var damaged = bytes
          for index in place { damaged[index] = isGarbage ? .random(in: 0...255, using: &random) : 0 }
          check(damaged, "\(place)")
        }
      }
      for bit in page.lowerBound * 8..<(page.lowerBound + 64) * 8 where isTried(bit) {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        check(damaged, "bit \(bit)")
      }
    }
  }

  @Test("a file that has lost both of its headers is given up as a whole, and that is said")
  func bothHeaders() {
    let directory = SampleDirectory.usual()
    let (name, bytes) = directory.files[1]
    let damaged = [UInt8](repeating: 0, count: 8192) + bytes[8192...]
    let salvage = directory.read(replacing: name, with: damaged) { Saved($0) }
    #expect(salvage.values["a.number"] == .integer(1))
    #expect(salvage.losses.map(\.file) == [name] && salvage.losses.map(\.bytes) == [bytes.count])
  }

  // MARK: Transactions

  /// Two stores that every transaction gives the same value, in separate records or with others.
  private static func pairs() -> SampleDirectory {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    directory.record { SampleDirectory.created("a", 1, 1, .integer(1)).encode(into: &$0) }
    directory.record { SampleDirectory.created("b", 2, 2, .integer(1)).encode(into: &$0) }
    for value in 2...6 as ClosedRange<UInt64> {
      directory.record {
        HubEvent.change(
          SampleDirectory.state(1, value + 1, value, .integer(Int64(value))), grouped: true, more: true
        )
        .encode(into: &$0)
        HubEvent.change(
          SampleDirectory.state(2, value + 1, value, .integer(Int64(value))), grouped: true, more: false
        )
        .encode(into: &$0)
        // Another write of the same turn.
        if value == 4 { SampleDirectory.created("c", 3, 90, .integer(1)).encode(into: &$0) }
      }
    }
    return directory
  }

  @Test("a transaction is saved as a whole or not at all, whichever bit or sector is lost")
  func transactions() {
    let directory = InspectionTests.pairs()
    let (name, bytes) = directory.files[0]
    func check(_ damaged: [UInt8], _ what: String) {
      let salvage = directory.read(replacing: name, with: damaged) { Saved($0) }
      let saved = salvage.values
      // With nothing of a transaction left, each store has the value of its own record.
      let isWhole =
        saved["a"] == saved["b"]
        || saved["a"] ?? .integer(1) == .integer(1)
          && saved["b"] ?? .integer(1) == .integer(1)
      #expect(isWhole, "\(what): a \(String(describing: saved["a"])), b \(String(describing: saved["b"]))")
      if saved["b"] == nil, saved["a"] != nil { #expect(salvage.orphans == 5 && salvage.abandoned == 5) }
    }
    for bit in stride(from: 8192 * 8, to: bytes.count * 8, by: 3) where isTried(bit) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      check(damaged, "bit \(bit)")
    }
    for start in stride(from: 0, to: bytes.count, by: 512) where isTried(start / 512) {
      var damaged = bytes
      for index in start..<min(start + 512, bytes.count) { damaged[index] = 0 }
      check(damaged, "sector at \(start)")
    }
  }

  @Test("other writes of a turn are saved, although a transaction of it is not")
  func turn() {
    let directory = InspectionTests.pairs()
    var damaged = directory.files[0].bytes
    damaged[directory.offsets[2] + 30] ^= 1
    let salvage = directory.read(replacing: directory.files[0].name, with: damaged) { Saved($0) }
    #expect(salvage.values == ["a": .integer(1), "c": .integer(1)])
    #expect(salvage.revision >= 90)
  }

  @Test(
    "a store that only a later record describes is saved from there on, and its earlier transactions are not")
  func describedLater() {
    var directory = InspectionTests.pairs()
    directory.record { SampleDirectory.created("b", 2, 100, .integer(7)).encode(into: &$0) }
    var damaged = directory.files[0].bytes
    damaged[directory.offsets[2] + 30] ^= 1
    let salvage = directory.read(replacing: directory.files[0].name, with: damaged) { Saved($0) }
    #expect(salvage.values == ["a": .integer(1), "b": .integer(7), "c": .integer(1)])
    #expect(salvage.orphans == 5 && salvage.abandoned == 5)
  }

  @Test("a transaction that changes a store that it has created, with a lifetime in between, is saved")
  func creatingTransaction() {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    let lifetime = KeptLifetime(
      deadline: 8, remaining: 1 << 50, written: InspectionTests.now.wall, isEphemeral: false)
    directory.record {
      HubEvent.created(
        name: "a", Schema(type: .integer), SampleDirectory.state(1, 1, 1, .integer(1)), grouped: true,
        more: true
      )
      .encode(into: &$0)
      JournalFrame.lifetime(StoreID(raw: 1 << 24), revision: 1, lifetime).encode(into: &$0)
      HubEvent.change(SampleDirectory.state(1, 1, 2, .integer(2)), grouped: true, more: false).encode(
        into: &$0)
    }
    directory.record {
      HubEvent.change(SampleDirectory.state(1, 2, 3, .integer(3)), grouped: true, more: true).encode(
        into: &$0)
      JournalFrame.lifetime(StoreID(raw: 1 << 24), revision: 2, lifetime).encode(into: &$0)
      HubEvent.change(SampleDirectory.state(2, 2, 2, .integer(3)), grouped: true, more: false).encode(
        into: &$0)
    }
    let salvage = directory.read { Saved($0) }
    #expect(salvage.values == ["a": .integer(2)])
    #expect(salvage.orphans == 1 && salvage.abandoned == 1 && salvage.losses.isEmpty)
  }

  @Test("a record whose frames make no sense is given up, and what follows is saved")
  func senseless() {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    directory.record { SampleDirectory.created("a", 1, 1, .integer(1)).encode(into: &$0) }
    directory.record { SampleDirectory.created("b", 1, 2, .integer(2)).encode(into: &$0) }
    directory.record { SampleDirectory.change(1, 3, 2, .integer(3)).encode(into: &$0) }
    let salvage = directory.read { Saved($0) }
    #expect(salvage.values == ["a": .integer(3)])
    #expect(salvage.losses.map(\.offset) == [directory.offsets[2]])
  }

  @Test("of a damaged snapshot the stores are saved that are whole, and those that the journal describes")
  func damagedSnapshot() {
    let directory = SampleDirectory.usual()
    var bytes = directory.files[0].bytes
    bytes[JournalFileHeader.recordsStart + 30] ^= 1
    let salvage = directory.read(replacing: directory.files[0].name, with: bytes) { Saved($0) }
    #expect(salvage.values == ["b.new": .boolean(true)])
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
    let salvage = directory.read { Saved($0) }
    #expect(salvage.values == ["kept": .integer(1)] && salvage.losses.isEmpty)
  }

  /// What is saved of a store that was created as `off` and set to `on`, with what the same record says after that.
  private func mode(_ frames: (inout OutputBuffer) -> Void) -> Saved {
    var directory = SampleDirectory()
    directory.begin(.journal, 1)
    directory.head()
    directory.record {
      SampleDirectory.created("mode", 1, 1, .string("off")).encode(into: &$0)
      SampleDirectory.change(1, 2, 2, .string("on")).encode(into: &$0)
      frames(&$0)
    }
    return directory.read { Saved($0) }
  }

  @Test("a store that the journal has forgotten stays forgotten")
  func forgotten() {
    let salvage = mode {
      JournalFrame.unstored(StoreID(raw: 1 << 24), revision: 3, version: 3).encode(into: &$0)
    }
    #expect(salvage.values.isEmpty)
  }

  @Test("a lifetime is saved with the value that it was given to, and with no later one")
  func lifetimes() {
    let lifetime = KeptLifetime(
      deadline: 8, remaining: 1 << 50, written: InspectionTests.now.wall, isEphemeral: false)
    func saved(of revision: Revision, then frames: (inout OutputBuffer) -> Void = { _ in }) -> UInt64? {
      let salvage = mode {
        JournalFrame.lifetime(StoreID(raw: 1 << 24), revision: revision, lifetime).encode(into: &$0)
        frames(&$0)
      }
      #expect(salvage.values.count == 1)
      return salvage.ttl["mode"]
    }
    #expect(saved(of: 2) != nil)
    #expect(saved(of: 1) == nil)
    #expect(saved(of: 2) { SampleDirectory.change(1, 3, 3, .string("off")).encode(into: &$0) } == nil)
  }
}
