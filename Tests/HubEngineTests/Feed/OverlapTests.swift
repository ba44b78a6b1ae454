// One connection, many patterns that match the same store: it is sent once.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite struct OverlapTests {
  private func names(_ events: [HubEvent]) -> [String] {
    events.compactMap { event in
      switch event {
      case .current(let name, _), .created(let name, _, _, _, _, _), .removed(let name, _, _, _): name
      default: nil
      }
    }
  }

  @Test("the patterns of one watch show a store once", arguments: [false, true])
  func snapshot(schemas: Bool) throws {
    var hub = EngineFixture()
    let session = hub.connect()
    for name in ["a.x", "a.y", "b"] { _ = hub.write(session, .set(.name(try StoreName(name)), .integer(1))) }
    let patterns = try ["a.x", "a.*", "**", "a.x", "*.y"].map { try NamePattern($0) }
    _ = hub.ask(session, .watch(patterns, schemas: schemas))
    #expect(names(hub.turn()[3] ?? []).sorted() == ["a.x", "a.y", "b"])
  }

  @Test("a watch that resumes is told once of what has changed and what has gone")
  func resumed() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    for name in ["a.x", "a.y", "b"] { _ = hub.write(session, .set(.name(try StoreName(name)), .integer(1))) }
    _ = hub.turn()
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.write(session, .remove("a.y"))
    _ = hub.write(session, .set("a.x", .integer(2)))
    _ = hub.turn()
    let other = hub.connect(4)
    // An open watch makes the second one catch up by itself.
    _ = hub.ask(other, .watch([try NamePattern("b")]))
    _ = hub.turn()
    let patterns = try ["a.*", "**", "a.x", "a.y"].map { try NamePattern($0) }
    _ = hub.ask(other, .watch(patterns, bookmark: bookmark))
    #expect(names(hub.turn()[4] ?? []) == ["a.y", "a.x"])
  }

  @Test("a second watch shows again what the first has shown: its own first snapshot is whole")
  func secondWatch() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    _ = hub.ask(session, .watch([.everything]))
    #expect(names(hub.turn()[3] ?? []) == ["a"])
    _ = hub.ask(session, .watch([try NamePattern("a"), try NamePattern("*")]))
    #expect(names(hub.turn()[3] ?? []) == ["a"])
  }

  @Test("a snapshot that is taken in pieces shows no store twice")
  func pieces() throws {
    var hub = EngineFixture()
    let session = hub.connect()
    let long = Value.data([UInt8](repeating: 1, count: 30_000))
    for index in 0..<12 { _ = hub.write(session, .set(.name(try StoreName("s\(index)")), long)) }
    _ = hub.turn()
    let patterns = try ["s1", "**", "s0", "*", "s11"].map { try NamePattern($0) }
    _ = hub.ask(session, .watch(patterns))
    var seen: [String] = []
    var rest: [UInt8] = []
    // The connection takes ten thousand bytes at a time.
    for _ in 0..<200 {
      let turn = hub.engine.seal(hub.engine.openTurn())
      while let due = hub.engine.nextDue(in: turn) {
        let bytes = hub.engine.due(for: due, in: turn)
        let count = min(bytes.count, 10_000)
        rest += bytes.slice(0, count).array
        rest += hub.engine.sent(count, to: due, in: turn).array
      }
      hub.engine.end(turn)
      hub.engine.resumeDelivery(to: session)
    }
    rest.withByteView { bytes in
      var cursor = FrameCursor(bytes)
      while let frame = cursor.next() {
        if let event = try? HubEvent(decoding: frame) { seen += names([event]) }
      }
    }
    #expect(seen.sorted() == (0..<12).map { "s\($0)" }.sorted())
  }
}
