// State directories from hubs whose snapshots have a frame for each store: recovered, repaired, and packed from then on; and one
// whose snapshot is packed already.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: snapshots of format 2", .blocking)
struct FormatTwoTests {
  /// The machine's boot when the fixtures were made.
  private static let boot = BootID(high: 1, low: 1)

  private static let content: [String: Value] = [
    "mode": .string("on"), "big": .string("small"), "ledger": .integer(7), "text": .string("ünï"),
    "data": .data(Array("30306666".utf8)), "level": .double(1.5), "flag": .boolean(true),
    "doc": .json("{\"a\":1}"),
    "later": .string("soon"),
  ]

  @Test(
    "a directory of format 2 is read, and its next snapshot is packed; so is one whose snapshot is packed",
    arguments: ["format-2/killed", "format-2/ended", "format-3/killed"])
  func takenUp(name: String) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    try writeFiles(try stateFixture(name), to: path)
    var content = FormatTwoTests.content
    if name == "format-2/ended" { content["ledger"] = .integer(4) }
    let hub = try JournalHub(path, boot: FormatTwoTests.boot)
    // A value of one second has ended meanwhile.
    #expect(hub.content().mapValues(\.value) == content)
    // It is a copy, so a new epoch begins.
    #expect(hub.notes.contains { $0.contains("is a copy") }, "\(hub.notes)")
    let before = hub.content()
    hub.snapshot()
    _ = consume hub
    let files = try stateFiles(in: path)
    #expect(files.count == 2)
    for (file, bytes) in files {
      #expect(
        UInt16(bytes[8]) == JournalFileName(file)?.kind.format, "\(file) is of the present format by now")
    }
    let again = try JournalHub(path, boot: FormatTwoTests.boot)
    #expect(again.content() == before && again.notes.isEmpty)
    #expect(again.set("mode", 1) == .refused(.typeMismatch), "its schema has come along")
  }

  @Test(
    "repair saves everything of it, whichever bit of a header is wrong",
    arguments: ["format-2/killed", "format-3/killed"])
  func repaired(fixture: String) throws {
    let files = try stateFixture(fixture)
    let names = files.keys.sorted()
    for name in names {
      for bit in stride(from: 0, to: 512, by: 7) {
        var damaged = files
        damaged[name]![bit / 8] ^= 1 << (bit % 8)
        let saved = salvaged(damaged)
        var values = Dictionary(uniqueKeysWithValues: saved.stores.values.map { ($0.name, $0.state.value) })
        values["short"] = nil
        #expect(values == FormatTwoTests.content && saved.losses.isEmpty, "\(name), bit \(bit)")
      }
    }
  }

  @Test("a segment with packed stores is damage: only snapshots have them")
  func onlySnapshots() throws {
    var sample = SampleDirectory()
    sample.begin(.journal, 1)
    sample.head()
    sample.record { out in
      // An empty frame.
      out.append(UInt32(0))
      out.append(UInt64(PackedStores.kind))
    }
    sample.read { files in
      let summary = Inspection.summary(of: files, boot: .unknown) { _ in FileOrigin(inode: 0, birth: 0) }
      guard case .failure(let problem) = summary.plan else { return #expect(Bool(false), "it was read") }
      #expect(problem.kind == .damaged && problem.reason.contains("only a snapshot"))
    }
  }
}
