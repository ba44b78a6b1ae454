// Streams with filters, on a hub in memory: what is left out, what is never left out, and whose connection it is.

import HubCore
import HubTesting
import TestSupport
import Testing

@testable import HubClient

@Suite("Filtered streams") struct FilteredStreamTests {
  @Test("with an interval the newest value comes when it ends, and the event says what was left out")
  func interval() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (level, written) = (mine.value("level", of: Int.self), other.value("level", of: Int.self))
    try await written.set(1)
    var events = level.events(atMost: .milliseconds(100)).makeAsyncIterator()
    let initial = try #require(try await events.next())
    #expect(initial.kind == .initial && initial.value == 1)
    #expect(try await events.next()?.kind == .synced)
    for value in 2...5 { try await written.set(value) }
    memory.advance(by: .milliseconds(100))
    let changed = try #require(try await events.next())
    #expect(changed.kind == .changed && changed.value == 5 && changed.skipped == 3)
    #expect(try await events.next()?.kind == .synced)
  }

  @Test("a deadband leaves out small changes, for the streams that ask for it only")
  func deadband() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (level, written) = (mine.value("level", of: Double.self), other.value("level", of: Double.self))
    try await written.set(1)
    var all = level.values(.every()).makeAsyncIterator()
    var some = level.values(by: 0.5).makeAsyncIterator()
    var percent = level.values(by: .percent(100)).makeAsyncIterator()
    #expect(try await some.next() == 1)
    #expect(try await all.next() == 1)
    #expect(try await percent.next() == 1)
    for value in [1.25, 1.5] { try await written.set(value) }
    #expect(try await some.next() == 1.5)
    for value in [1.75, 2] { try await written.set(value) }
    for value in [1.25, 1.5, 1.75, 2] { #expect(try await all.next() == value) }
    #expect(try await some.next() == 2)
    #expect(try await percent.next() == 2)
  }

  @Test("a condition brings each value with which it starts or stops holding, however short")
  func condition() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (level, written) = (mine.value("level", of: Double.self), other.value("level", of: Double.self))
    try await written.set(1)
    var values = level.values(when: .greater(2)).makeAsyncIterator()
    var events = level.events(when: .equal("x", 4.0, 5)).makeAsyncIterator()
    #expect(try await values.next() == 1)
    for value in [2, 2.5, 4, 1, 0, 5, 6.0] { try await written.set(value) }
    for expected in [2.5, 1, 5] { #expect(try await values.next() == expected) }
    for (value, skipped) in [(1, 0), (4, 2), (1, 0), (5, 1), (6, 0)] as [(Double, UInt64)] {
      var event = try #require(try await events.next())
      while event.kind == .synced { event = try #require(try await events.next()) }
      #expect(event.value == value && event.skipped == skipped)
    }
  }

  @Test(
    "with a deadline a store that nobody writes is overdue, until it is written, be it with an equal value")
  func deadline() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (level, written) = (mine.value("level", of: Int.self), other.value("level", of: Int.self))
    try await written.set(1)
    var events = level.events(deadline: .seconds(5)).makeAsyncIterator()
    var values = mine.watch("*").filtered(atMost: .milliseconds(1), deadline: .seconds(5)).makeAsyncIterator()
    func next() async throws -> ValueEvent<Int> {
      while true {
        let event = try #require(try await events.next())
        if event.kind != .synced, event.kind != .freshness { return event }
      }
    }
    #expect(try await next().kind == .initial)
    #expect(try await values.next()?.kind == .initial)
    #expect(try await values.next()?.kind == .synced)
    memory.advance(by: .seconds(5))
    var event = try await next()
    #expect(event.kind == .changed && event.isOverdue && event.value == 1 && event.skipped == 0)
    #expect(try await values.next()?.isOverdue == true)
    try await written.set(1)
    event = try await next()
    #expect(event.kind == .changed && !event.isOverdue && event.value == 1 && event.skipped == 0)
    memory.advance(by: .seconds(5))
    #expect(try await next().isOverdue)
    // It stays overdue over a lost connection, after which the hub counts anew.
    memory.restart(keepingState: true)
    memory.advance(by: .milliseconds(100))
    #expect(try await next().kind == .resumed)
    while try await events.next()?.kind != .synced {}
    try await written.set(1)
    event = try await next()
    #expect(!event.isOverdue && event.value == 1)
    try await written.set(3)
    event = try await next()
    #expect(event.value == 3 && event.skipped == 0 && !event.isOverdue)
  }

  @Test("a silence that a slow reader has not seen is no skipped change")
  func slowReader() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (level, written) = (mine.value("level", of: Int.self), other.value("level", of: Int.self))
    try await written.set(1)
    var events = level.events(deadline: .seconds(5)).makeAsyncIterator()
    #expect(try await events.next()?.kind == .initial)
    #expect(try await events.next()?.kind == .synced)
    for value in [2, 3] {
      try await written.set(value)
      memory.advance(by: .seconds(5))
    }
    try await written.set(3)
    try await written.set(4)
    var (last, changes): (Revision, UInt64) = (1, 0)
    while changes < 3 {
      let event = try #require(try await events.next())
      guard event.kind == .changed else { continue }
      changes += (event.skipped ?? 0) + (event.revision > last ? 1 : 0)
      last = event.revision
    }
    #expect(changes == 3 && last == 4)
  }

  @Test("a removal is never left out, and the store's next value comes whether it meets the condition or not")
  func removal() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (mode, written) = (mine.value("mode", of: String.self), other.value("mode", of: String.self))
    var events = mode.events(when: .notEqual("off")).makeAsyncIterator()
    #expect(try await events.next()?.kind == .synced)
    try await written.set("off")
    try await written.remove()
    try await written.set("off")
    var kinds: [String] = []
    while kinds.count < 3 {
      let event = try #require(try await events.next())
      if event.kind != .synced { kinds.append("\(event.kind)") }
    }
    #expect(kinds == ["changed", "removed", "changed"])
  }

  @Test("patterns can be filtered, and the views of an interval are states that existed")
  func patterns() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    try await other.value("a.x").set(1)
    var views = mine.watch("a.*").filtered(atMost: .milliseconds(10)).views.makeAsyncIterator()
    #expect(try await views.next()?.values == ["a.x": .integer(1)])
    try await other.value("a.x").set(2)
    try await other.value("a.y").set(3)
    memory.advance(by: .milliseconds(10))
    #expect(try await views.next()?.values == ["a.x": .integer(2), "a.y": .integer(3)])
  }

  @Test(
    "after a lost connection a filtered stream continues, and misses nothing that its filter lets through")
  func reconnect() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (level, written) = (mine.value("level", of: Int.self), other.value("level", of: Int.self))
    try await written.set(1)
    var events = level.events(by: 10).makeAsyncIterator()
    #expect(try await events.next()?.value == 1)
    #expect(try await events.next()?.kind == .synced)
    try await written.set(2)
    memory.restart(keepingState: true)
    memory.advance(by: .milliseconds(100))
    #expect(try await events.next()?.kind == .resumed)
    // The hub does not know from which value to measure, and shows the current one.
    let changed = try #require(try await events.next())
    #expect(changed.value == 2 && changed.skipped == 0)
  }

  @Test("streams with equal filters share one connection, which is closed with the Hub")
  func connections() async throws {
    let memory = InMemoryHub()
    let mine = memory.connect()
    let filter = try WatchFilter(atMost: .seconds(1), by: 2)
    let first = mine.filtered(by: filter)
    #expect(mine.filtered(by: try WatchFilter(atMost: .milliseconds(1000), by: 2)) === first)
    #expect(mine.filtered(by: try WatchFilter(by: 2)) !== first)
    var values = mine.value("level", of: Int.self).values(atMost: .seconds(1), by: 2).makeAsyncIterator()
    mine.close()
    await #expect(throws: HubError.self) { try await values.next() }
  }

  @Test("a filter that leaves out nothing, or cannot be, ends the stream with an error")
  func impossible() async throws {
    let level = InMemoryHub().connect().value("level", of: Int.self)
    for sequence in [
      level.values(atMost: nil), level.values(atMost: .zero), level.values(atMost: .seconds(86_401)),
      level.values(by: 0), level.values(by: .percent(-1)), level.values(when: .equal()),
      level.values(when: .greater(Double.nan)), level.values(when: .less(true)),
      level.values(when: .equal(String(repeating: "x", count: 1100))),
    ] {
      var values = sequence.makeAsyncIterator()
      do throws(HubError) {
        _ = try await values.next()
        Issue.record("\(sequence)")
      } catch {
        #expect(error.code == .invalidValue)
      }
    }
  }
}
