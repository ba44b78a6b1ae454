// Removals beside sessions that watch much: found through the tree of patterns, counted, and given up in time.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Removals beside many watches") struct RemovalWatchTests {
  private static let step = 100_000
  private let writer = SessionID(raw: 3)
  private let watcher = SessionID(raw: 4)

  private func hub(watching patterns: [String], stores: [String]) throws -> EngineFixture {
    var hub = EngineFixture {
      $0.stepWork = Self.step
      $0.changeLogBytes = 1 << 22
      $0.uid = 1000
    }
    _ = (hub.connect(3, uid: 0), hub.connect(4, uid: 0))
    for name in stores + ["x.one", "x.two"] {
      _ = hub.write(writer, .set(.name(try StoreName(name)), .integer(1)))
    }
    _ = hub.turn()
    try watch(patterns + ["x.one", "x.two"], &hub)
    _ = hub.turn()
    return hub
  }

  private func watch(
    _ patterns: [String], bookmark: Bookmark? = nil, id: UInt32 = 77, _ hub: inout EngineFixture
  ) throws {
    var frame = OutputBuffer()
    let patterns = try patterns.map { try NamePattern($0) }
    Request.watch(patterns, bookmark: bookmark).encode(into: &frame, id: id)
    while hub.ask(watcher, frame.array).receipt.contains(.askAgain) { _ = hub.turn() }
  }

  /// Removes stores in one transaction that also sets two stores, each of which makes the watcher due.
  private func remove(_ names: [String], _ hub: inout EngineFixture) throws {
    let removals = try names.map { WriteOperation.remove(.name(try StoreName($0))) }
    let reply = hub.ask(
      writer, .transaction([.set("x.one", .integer(2)), .set("x.two", .integer(2))] + removals))
    guard case .committed = reply else { throw TestFailure("\(reply)") }
  }

  /// A turn: the watcher's events, and what the most expensive of its batches cost, and all of them.
  private func turn(_ hub: inout EngineFixture) -> (events: [HubEvent], worst: Int, all: Int) {
    let turn = hub.engine.seal(hub.engine.openTurn())
    var (events, worst, all) = ([HubEvent](), 0, 0)
    while let session = hub.engine.nextDue(in: turn) {
      while true {
        let before = hub.engine.work
        let due = hub.engine.due(for: session, in: turn)
        worst = max(worst, hub.engine.work - before)
        all += hub.engine.work - before
        if due.isEmpty { break }
        var cursor = FrameCursor(due)
        while let frame = cursor.next() {
          if session == watcher, let event = try? HubEvent(decoding: frame) { events.append(event) }
        }
        _ = hub.engine.sent(due.count, to: session, in: turn)
      }
    }
    hub.engine.end(turn)
    return (events, worst, all)
  }

  private func removed(_ events: [HubEvent]) -> [String] {
    events.compactMap { if case .removed(let name, _, _, _) = $0 { name } else { nil } }
  }

  @Test(
    "4,000 removals beside 10,000 plain names: those that are watched are told, at a cost for each removal alone"
  )
  func names() throws {
    let stores = (0..<4000).map { "p.n\($0)" }
    var costs: [Int] = []
    for count in [100, 9_990] {
      var hub = try hub(watching: (0..<count).map { "p.n\($0 * 40)" }, stores: stores)
      try remove(stores, &hub)
      let (events, _, all) = turn(&hub)
      let expected = Set((0..<100).map { "p.n\($0 * 40)" })
      #expect(Set(removed(events)) == expected && removed(events).count == 100)
      costs.append(all - Cost.membership * 10 * count)
    }
    // Each batch looks at each watch once; no removal is compared with each pattern.
    #expect(costs[1] < costs[0] + 4000 * 9_990 / 4, "\(costs)")
    #expect(costs[0] > 4000 * Cost.found, "every removal is counted: \(costs)")
  }

  @Test(
    "removals that would take too long to compare make the watcher start over, in batches of bounded cost")
  func deep() throws {
    let stores = (0..<40).map { number in
      ((0..<59).map { _ in "a" } + ["b\(number)"]).joined(separator: ".")
    }
    // None of them matches, and each takes many tries to find that out.
    let patterns = (0..<2_000).map { number in
      let parts = (0..<11).map { number >> $0 & 1 == 0 ? "a" : "*" }
      return (["**"] + parts + Array(repeating: "*", count: 46) + ["c"]).joined(separator: ".")
    }
    var hub = try hub(watching: patterns, stores: stores)
    try remove(stores, &hub)
    let (events, worst, all) = turn(&hub)
    guard case .forget? = events.first, case .synced? = events.last else { throw TestFailure("\(events)") }
    let names = events.compactMap { if case .current(let name, _) = $0 { name } else { nil } }
    #expect(Set(names) == ["x.one", "x.two"])
    // Two names are given up: one in the turn's own batch, one while catching up.
    #expect(worst < 4 * PatternTable.mostNameWork && all < 5 * PatternTable.mostNameWork, "\(worst), \(all)")
  }

  @Test("who watches few patterns is told of the same removals, whatever others watch")
  func few() throws {
    let stores = (0..<40).map { number in
      ((0..<59).map { _ in "a" } + ["b\(number)"]).joined(separator: ".")
    }
    let patterns = (0..<400).map { number in
      let parts = (0..<11).map { number >> $0 & 1 == 0 ? "a" : "*" }
      return (["**"] + parts + Array(repeating: "*", count: 46) + ["c"]).joined(separator: ".")
    }
    var hub = try hub(watching: ["**.b7", "**.b8"], stores: stores)
    let other = hub.connect(5, uid: 0)
    var frame = OutputBuffer()
    Request.watch(try patterns.map { try NamePattern($0) }).encode(into: &frame, id: 9)
    while hub.ask(other, frame.array).receipt.contains(.askAgain) { _ = hub.turn() }
    _ = hub.turn()
    try remove(stores, &hub)
    let (events, _, _) = turn(&hub)
    #expect(removed(events).map { $0.suffix(3) } == [".b7", ".b8"])
    #expect(!events.contains { if case .forget = $0 { true } else { false } })
  }

  @Test("a watch of many patterns that resumes is told of each removal once, before what is there now")
  func resuming() throws {
    let stores = (0..<200).map { "p.n\($0)" }
    var hub = try hub(watching: [], stores: stores)
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.write(writer, .set("p.n3", .integer(7)))
    try remove(Array(stores[10..<200]), &hub)
    _ = hub.write(writer, .set("p.n20", .integer(9)))
    _ = hub.turn()
    hub.close(watcher)
    _ = hub.connect(4, uid: 0)
    // Its other watch is further ahead.
    try watch(["zz"], &hub)
    _ = hub.turn()
    let patterns = (0..<100).map { "p.n\($0)" } + ["*.n1", "**.n1", "*.n15", "p.n15"]
    try watch(patterns, bookmark: bookmark, id: 78, &hub)
    let image = EngineImage.bytes(of: hub.engine)
    for handsOver in [false, true] {
      if handsOver {
        hub.engine = try EngineImage.engine(from: image, options: hub.engine.options)
      }
      let (events, _, _) = turn(&hub)
      let names = removed(events)
      #expect(names.count == 90 && Set(names) == Set((10..<100).map { "p.n\($0)" }))
      let current = events.compactMap { if case .current(let name, _) = $0 { name } else { nil } }
      #expect(Set(current) == ["p.n3", "p.n20"])
      guard case .removed? = events.first else { throw TestFailure("\(events)") }
    }
    #expect(hub.engine.brokenInvariants() == [])
  }
}
