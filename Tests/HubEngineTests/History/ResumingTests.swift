// Watches that resume from bookmarks, while others on their connection are further ahead.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite struct ResumingTests {
  private static func pattern(_ text: String) -> NamePattern { try! NamePattern(text) }

  /// A hub with a live watch, and what a second watch of that connection is shown when it resumes from revision 2.
  private func resumed(removing count: Int, remembered: Int = 4096) -> (replies: [Reply], events: [HubEvent])
  {
    var hub = EngineFixture { $0.rememberedRemovals = remembered }
    let session = hub.connect()
    for name in ["a.x", "a.y"] as [StoreReference] { _ = hub.write(session, .set(name, .integer(1))) }
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.ask(session, .watch([Self.pattern("b.*")]))
    _ = hub.turn()
    _ = hub.write(session, .remove("a.x"))
    for _ in 1..<count {
      _ = hub.write(session, .set("c", .integer(1)))
      _ = hub.write(session, .remove("c"))
    }
    _ = hub.write(session, .set("b.z", .integer(1)))
    _ = hub.turn()
    let reply = hub.ask(session, .watch([Self.pattern("a.*")], bookmark: bookmark))
    return ([reply], hub.turn()[session.raw] ?? [])
  }

  @Test(
    "a watch that resumes from an older bookmark than its connection's others is told what was removed since")
  func removals() {
    let events = resumed(removing: 1).events
    guard case .removed("a.x", _, _, more: true)? = events.first, case .synced? = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 2)
  }

  @Test(
    "a watch that resumes at the hub's revision knows all names: it gets the next change as one")
  func atTheHead() {
    var hub = EngineFixture()
    let (writer, watcher) = (hub.connect(3), hub.connect(4))
    _ = hub.write(writer, .set("a", .integer(1)))
    _ = hub.turn()
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.ask(watcher, .watch([.everything], policy: .every, bookmark: bookmark))
    _ = hub.write(writer, .set("a", .integer(2)))
    let events = hub.turn()[4] ?? []
    guard case .change(let state, _, _)? = events.first, case .synced? = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 2 && state.value == .integer(2))
  }

  @Test(
    "a watch of every change that resumes within a catch-up is synced only at its end, and is told all names")
  func withinCatchUp() {
    var hub = EngineFixture()
    let (writer, watcher) = (hub.connect(3), hub.connect(4))
    _ = hub.write(writer, .set("a", .integer(0)))
    _ = hub.turn()
    // `a` and `d` change here, and again after the next two: a catch-up leaves these changes out.
    _ = hub.ask(writer, .transaction([.set("a", .integer(1)), .set("d", .integer(1))]))
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.turn()
    _ = hub.ask(writer, .transaction([.set("b", .integer(1)), .set("c", .integer(1))]))
    _ = hub.turn()
    for name in ["a", "d"] as [StoreReference] { _ = hub.write(writer, .set(name, .integer(2))) }
    _ = hub.turn()
    // Its connection was lost when it had been sent `b`, so it knows neither the first change of `a` nor the store `d`.
    _ = hub.ask(watcher, .watch([.everything], policy: .every, bookmark: bookmark))
    let events = hub.turn()[4] ?? []
    let syncs = events.compactMap { if case .synced(let revision) = $0 { revision } else { nil } }
    #expect(syncs == [hub.engine.revision], "\(events)")
    let names = events.compactMap { event -> String? in
      switch event {
      case .current(let name, _), .created(let name, _, _, _, _, _): name
      default: nil
      }
    }
    #expect(names == ["b", "c", "a", "d"], "\(events)")
  }

  @Test("if the removals since are not remembered, every watch of the connection starts over")
  func forgotten() {
    let events = resumed(removing: 5, remembered: 2).events
    let names = events.compactMap { event -> String? in
      if case .current(let name, _) = event { name } else { nil }
    }
    #expect(Set(names) == ["a.y", "b.z"])
    #expect(names.count == 2)
  }

  @Test("a bookmark anywhere in a long log is found at little cost, also by the hub that takes over")
  func bookmarkCost() throws {
    var hub = EngineFixture { $0.changeLogBytes = 4 << 20 }
    let (writer, watcher) = (hub.connect(3), hub.connect(4))
    var bookmarks: [(Bookmark, Int64)] = []
    for value in 1...12_000 as ClosedRange<Int64> {
      _ = hub.write(writer, .set("a", .integer(value)))
      if value % 2 == 0 { _ = hub.turn() }
      if value % 2_001 == 0 {
        bookmarks.append((Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision), value))
      }
    }
    _ = hub.turn()
    for handsOver in [false, true] {
      if handsOver {
        hub.engine = try EngineImage.engine(
          from: EngineImage.bytes(of: hub.engine), options: hub.engine.options)
      }
      for (bookmark, value) in bookmarks {
        let before = hub.engine.work
        _ = hub.ask(watcher, .watch([Self.pattern("a")], policy: .every, bookmark: bookmark))
        #expect(hub.engine.work - before < 12_000, "of 700,000 bytes")
        // With its name, since the watch begins behind the hub.
        guard case .current("a", let state)? = (hub.turn()[4] ?? []).first else {
          Issue.record("no change after \(value)")
          return
        }
        #expect(state.value == .integer(value + 1))
        hub.close(watcher)
        _ = hub.connect(4)
      }
    }
  }
}
