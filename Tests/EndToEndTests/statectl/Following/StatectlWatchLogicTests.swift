// The pure parts of watch and wait: what is told twice, what a command is run for, when a condition holds.

import HubClient
import HubCore
import Testing

@testable import statectl

@Suite("statectl's watches, without a hub")
struct StatectlWatchLogicTests {
  private let first = Epoch(high: 1, low: 1)
  private let second = Epoch(high: 2, low: 2)

  private func current(_ name: String, _ id: UInt64, _ version: UInt64, _ value: Int64) -> HubEvent {
    .current(name: name, state(id, version, value))
  }

  private func state(_ id: UInt64, _ version: UInt64, _ value: Int64) -> StoreState {
    StoreState(
      id: StoreID(raw: id), revision: 100 + version, version: version, time: 1, uid: 0,
      value: .integer(value))
  }

  /// What is told: kind, name, value, skipped.
  private func told(_ events: [StoreEvent]) -> [String] {
    events.map { event in
      let value = event.value.map { " \($0)" } ?? ""
      let name = event.name.isEmpty ? "" : " \(event.name)"
      return "\(event.kind)\(name)\(value)" + (event.skipped.map { $0 > 0 ? " +\($0)" : "" } ?? " +?")
    }
  }

  private func apply(_ story: inout Continuity, _ events: HubEvent...) -> [String] {
    var news: [StoreEvent] = []
    for event in events { story.apply(event, into: &news) }
    return told(news)
  }

  private func open(_ story: inout Continuity, _ epoch: Epoch) -> [String] {
    var news: [StoreEvent] = []
    story.open(epoch: epoch, into: &news)
    return told(news)
  }

  private func started() -> Continuity {
    var story = Continuity()
    _ = open(&story, first)
    _ = apply(&story, current("a", 1, 1, 10), current("b", 2, 5, 20), .synced(revision: 105))
    return story
  }

  @Test("the first snapshot is told as it is")
  func snapshot() {
    var story = Continuity()
    #expect(open(&story, first) == [])
    #expect(
      apply(&story, current("a", 1, 7, 10), .synced(revision: 107)) == ["initial a 10", "synced"])
  }

  @Test("after a reset to a new epoch only what is different is told, and what is gone")
  func newEpoch() {
    var story = started()
    #expect(open(&story, second) == [])
    #expect(
      apply(
        &story, .forget(second, revision: 101), current("a", 1, 1, 10), current("c", 2, 1, 30),
        .synced(revision: 101)) == ["reset", "changed c 30 +?", "removed b +?", "synced"])
    #expect(apply(&story, .change(state(1, 2, 11), grouped: false, more: false)) == ["changed a 11"])
    #expect(story.bookmark?.epoch == second)
  }

  @Test("after a reset within the epoch versions decide, so that nothing that changed is missed")
  func sameEpoch() {
    var story = started()
    #expect(
      apply(
        &story, .forget(first, revision: 120), current("a", 1, 3, 10), current("b", 2, 5, 20),
        .synced(revision: 120)) == ["reset", "changed a 10 +1", "synced"])
  }

  @Test(
    "after a reset within the epoch a store that was made again is told, whatever its version and its value")
  func madeAgain() throws {
    for (version, value) in [(5 as UInt64, 21 as Int64), (5, 20), (1, 20), (9, 20)] {
      var story = started()
      #expect(
        apply(
          &story, .forget(first, revision: 120), current("a", 1, 1, 10),
          .current(name: "b", state(7, version, value)), .synced(revision: 130))
          == ["reset", "changed b \(value) +?", "synced"])
    }
    var story = started()
    _ = apply(&story, .forget(first, revision: 120))
    // The hub is killed once more before it has shown everything.
    #expect(open(&story, first) == [])
    #expect(
      apply(&story, current("a", 1, 1, 10), current("b", 7, 5, 20), .synced(revision: 130))
        == ["changed b 20 +?", "synced"])
  }

  @Test("a connection that is lost within the snapshot tells nothing twice")
  func interrupted() {
    var story = Continuity()
    _ = open(&story, first)
    #expect(apply(&story, current("a", 1, 1, 10)) == ["initial a 10"])
    #expect(story.bookmark == nil)
    #expect(open(&story, first) == [])
    #expect(
      apply(&story, current("a", 1, 1, 10), current("b", 2, 1, 20), .synced(revision: 102))
        == ["initial b 20", "synced"])
  }

  @Test("a second reset before the first was over forgets nothing that was told")
  func resetTwice() {
    var story = started()
    _ = apply(&story, .forget(second, revision: 1), current("a", 1, 1, 10))
    #expect(open(&story, Epoch(high: 3, low: 3)) == ["reset"])
    #expect(
      apply(&story, current("a", 1, 1, 10), current("b", 2, 1, 20), .synced(revision: 101)) == ["synced"])
  }

  @Test("a continued watch tells what changed meanwhile, and what has gone")
  func resumed() {
    var story = started()
    #expect(open(&story, first) == [])
    let removal = HubEvent.Removal(id: StoreID(raw: 2), revision: 108, version: 6, time: 1, uid: 0)
    #expect(
      apply(
        &story, .resumed(revision: 105), .removed(name: "b", removal, grouped: false, more: false),
        current("a", 1, 4, 11), .synced(revision: 110)) == [
          "resumed", "removed b", "changed a 11 +2", "synced",
        ])
  }

  @Test("while a command runs, the newest event of each store waits, in the order of arrival")
  func queue() {
    func event(_ name: String, _ value: Int64, skipped: UInt64? = 0) -> StoreEvent {
      StoreEvent(.changed, name: name, value: .integer(value), revision: 1, epoch: first, skipped: skipped)
    }
    var queue = ExecQueue()
    queue.put(event("a", 1))
    queue.put(event("b", 1))
    queue.put(event("a", 2, skipped: 3))
    queue.put(event("a", 3))
    #expect(queue.next().map { told([$0]) } == ["changed a 3 +5"])
    queue.put(event("a", 4))
    queue.put(event("b", 2, skipped: nil))
    #expect(queue.next().map { told([$0]) } == ["changed b 2 +?"])
    #expect(queue.next().map { told([$0]) } == ["changed a 4"])
    #expect(queue.next() == nil)
    #expect(queue.isEmpty)
  }

  @Test("a command is told what happened, and a value that no environment can hold is left out")
  func environment() {
    func variables(_ value: Value?, _ kind: StoreEvent.Kind = .changed, skipped: UInt64? = 2) -> [String] {
      let event = StoreEvent(kind, name: "a.b", value: value, revision: 7, epoch: first, skipped: skipped)
      return ExecEnvironment.variables(for: event).compactMap { name, value in
        value.map { "\(name)=" + String(decoding: $0, as: UTF8.self) }
      }
    }
    #expect(
      variables(.string("x y\nz")) == [
        "STATEHUB_STORE=a.b", "STATEHUB_KIND=changed", "STATEHUB_REVISION=7", "STATEHUB_EPOCH=\(first)",
        "STATEHUB_SKIPPED=2",
        "STATEHUB_VALUE=x y\nz",
      ])
    #expect(variables(nil, .removed, skipped: nil).last == "STATEHUB_SKIPPED=")
    #expect(variables(.data([255, 0])).last == "STATEHUB_VALUE=/wA=")
    #expect(variables(.string("a\0b")).count == 5)
    #expect(variables(.string(String(repeating: "x", count: 200_000))).count == 5)
  }

  @Test(
    "numbers compare by their exact value",
    arguments: [
      (Value.integer(5), "eq", "5", true), (.integer(5), "==", "5.0", true), (.integer(5), "lt", "5.5", true),
      (.integer(-5), "gt", "-5.5", true), (.integer(5), "ge", "5", true), (.integer(5), "ne", "6", true),
      (.integer(.max), "lt", "9223372036854775808", true),
      (.integer(.max), "eq", "9.223372036854775807e18", false),
      (.integer(9_007_199_254_740_993), "gt", "9007199254740992.0", true),
      (.double(9_007_199_254_740_992), "<", "9007199254740993", true), (.double(0.5), "<=", "1", true),
      (.double(-1e300), "<", "-9223372036854775808", true),
      (.integer(.min), ">=", "-9223372036854775808", true),
      (.string("10"), "lt", "9", true), (.string("b"), ">", "a", true), (.string("ä"), "eq", "ä", true),
      (.boolean(true), "eq", "true", true), (.boolean(true), "!=", "false", true),
      (.json("[1]"), "=", "[1]", true), (.json("[1]"), "eq", "[ 1]", false), (.data([255]), "gt", "a", true),
    ])
  func comparisons(value: Value, condition: String, operand: String, holds: Bool) throws {
    let condition = try WaitCondition(condition, Argument(operand))
    #expect(try condition.holds(for: value, hasChanged: false, store: "s") == holds)
  }

  @Test(
    "a comparison that means nothing is refused",
    arguments: [
      (Value.integer(5), "gt", "abc"), (.double(5), "eq", "true"), (.boolean(true), "lt", "false"),
      (.boolean(true), "eq", "1"), (.json("1"), "ge", "0"),
    ])
  func meaningless(value: Value, condition: String, operand: String) throws {
    let condition = try WaitCondition(condition, Argument(operand))
    #expect(throws: Failure.self) { try condition.holds(for: value, hasChanged: false, store: "s") }
  }

  @Test("exists holds for any value, changes only for one that came since")
  func existence() throws {
    let (exists, changes) = (try WaitCondition("exists", nil), try WaitCondition("changes", nil))
    #expect(try exists.holds(for: .integer(0), hasChanged: false, store: "s"))
    #expect(try !changes.holds(for: .integer(0), hasChanged: false, store: "s"))
    #expect(try changes.holds(for: .integer(0), hasChanged: true, store: "s"))
  }

  @Test("words of a script are split as a shell does")
  func words() throws {
    let line = #"set  a 'x "y' "q \" \\ $z" b\ c ''# not a comment"# + " # one"
    #expect(
      try ScriptWords.split(Array(line.utf8)[...]).map(\.text)
        == ["set", "a", #"x "y"#, #"q " \ $z"#, "b c", "#", "not", "a", "comment"])
    #expect(try ScriptWords.split([]).isEmpty)
    for line in ["'open", "\"open", "open\\"] {
      #expect(throws: Failure.self) { try ScriptWords.split(Array(line.utf8)[...]) }
    }
  }
}
