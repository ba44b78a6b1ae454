// What wait waits for, without a hub and without time passing: when conditions hold, together and for how long.

import HubCore
import HubTransport
import Testing

@testable import statectl

@Suite("statectl's conditions, without a hub")
struct StatectlWaitLogicTests {
  private let epoch = Epoch(high: 1, low: 1)

  private func goal(_ words: Argument...) throws -> WaitGoal {
    try WaitGoal(ArgumentParser.parse(["wait"] + words))
  }

  private func event(
    _ kind: StoreEvent.Kind, _ name: String = "", _ value: Int64? = nil, skipped: UInt64? = 0,
    whole: Bool = true
  ) -> StoreEvent {
    var event = StoreEvent(
      kind, name: name, value: value.map { .integer($0) }, revision: 7, epoch: epoch, skipped: skipped)
    event.isWhole = whole
    return event
  }

  private func take(_ goal: inout WaitGoal, _ event: StoreEvent, _ second: UInt64) throws -> Bool {
    try goal.take(event, now: Deadline(nanoseconds: second * 1_000_000_000))
  }

  private func isReached(_ goal: WaitGoal, _ second: UInt64) -> Bool {
    goal.isReached(now: Deadline(nanoseconds: second * 1_000_000_000))
  }

  @Test("one condition is the hub's, unless it is about time or has no order")
  func filter() throws {
    let greater = try WatchFilter(when: WatchCondition(.greaterOrEqual, [.integer(5)]))
    #expect(try goal("a", "ge", "5").filter == greater)
    #expect(try goal("a", "exists").filter == WatchFilter(when: .present))
    #expect(try goal("a", "!=", "x").filter == WatchFilter(when: WatchCondition(.notEqual, [.string("x")])))
    #expect(try goal("a", "changes").filter == nil && goal("a", "lt", "true").filter == nil)
    #expect(try goal("a", "ge", "5", "--stable-for", "10").filter == nil)
    #expect(try goal("--any", "a", "ge", "5", "b", "ge", "5").filter == nil)
  }

  @Test("the time begins when the condition does, and again after every interruption")
  func interruptions() throws {
    var goal = try goal("a", "ge", "5", "--stable-for", "10")
    var reached = try take(&goal, event(.initial, "a", 5, whole: false), 100)
    #expect(!reached && goal.due == .never)
    reached = try take(&goal, event(.synced), 100)
    #expect(!reached && !isReached(goal, 109) && isReached(goal, 110))
    // Another value that fulfils it is no interruption.
    reached = try take(&goal, event(.changed, "a", 6), 105)
    #expect(!reached && isReached(goal, 110))
    // Nobody knows what was skipped: the time begins with what came after it.
    for gap in [event(.changed, "a", 6, skipped: 1), event(.changed, "a", 6, skipped: nil)] {
      reached = try take(&goal, gap, 115)
      #expect(!reached && !isReached(goal, 124) && isReached(goal, 125))
    }
    for interruption in [event(.changed, "a", 4), event(.removed, "a"), event(.reset, whole: false)] {
      reached = try take(&goal, interruption, 120)
      #expect(!reached && !isReached(goal, 129), "\(interruption)")
      reached = try take(&goal, event(.changed, "a", 7), 130)
      #expect(!reached && isReached(goal, 140), "\(interruption)")
    }
    goal.interrupt()
    #expect(goal.due == .never && !isReached(goal, 1000))
    reached = try take(&goal, event(.synced), 200)
    #expect(!reached && !isReached(goal, 209) && isReached(goal, 210))
  }

  @Test("an event after the time says that it is over, too")
  func late() throws {
    var goal = try goal("a", "exists", "--stable-for", "10")
    var reached = try take(&goal, event(.changed, "a", 1), 100)
    #expect(!reached)
    reached = try take(&goal, event(.changed, "a", 2), 111)
    #expect(reached)
  }

  @Test("what is between the parts of a transaction counts neither as holding nor as an interruption")
  func groups() throws {
    var goal = try goal("--all", "a", "eq", "1", "b", "eq", "0", "--stable-for", "10")
    for name in ["a", "b"] { _ = try take(&goal, event(.initial, name, 0, whole: false), 1) }
    _ = try take(&goal, event(.synced), 1)
    _ = try take(&goal, event(.changed, "a", 1, whole: false), 2)
    #expect(goal.due == .never)
    _ = try take(&goal, event(.changed, "b", 1), 2)
    #expect(goal.due == .never)
    _ = try take(&goal, event(.changed, "b", 0), 3)
    _ = try take(&goal, event(.changed, "a", 2, whole: false), 4)
    _ = try take(&goal, event(.changed, "a", 1), 4)
    #expect(isReached(goal, 13) && !isReached(goal, 12))
  }

  @Test("a change is remembered for the other conditions of --all")
  func remembered() throws {
    var goal = try goal("--all", "a", "changes", "b", "changes")
    var reached = try take(&goal, event(.initial, "a", 0, whole: false), 1)
    reached = try take(&goal, event(.synced), 1)
    #expect(!reached)
    reached = try take(&goal, event(.changed, "a", 1), 2)
    #expect(!reached)
    reached = try take(&goal, event(.changed, "b", 1), 3)
    #expect(reached)
    #expect(try goal.results().map(\.name) == ["a", "b"])
  }
}
