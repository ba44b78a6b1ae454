// Tests that what the home of a shared value says late never undoes what it has said already.

import HubCore
import HubReducers
import Synchronization
import TestSupport
import Testing

/// A key whose reports and confirmations a test writes down beforehand.
private struct ScriptedKey: SharedKey {
  typealias Value = Int

  let name: String
  let reports: AsyncStream<SharedReport<Int>>
  let saved: SharedSnapshot<Int>

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }

  func follow(_ report: @escaping @Sendable (SharedReport<Int>) async -> Void) async {
    for await next in reports { await report(next) }
  }

  func save(
    _ change: @escaping @Sendable (inout Int) -> Void, over known: SharedSnapshot<Int>, initial: Int
  ) async throws -> SharedSnapshot<Int> { saved }
}

@Suite struct SharedOrderTests {
  private let epoch = Epoch(high: 1, low: 2)
  private let reports = AsyncStream<SharedReport<Int>>.makeStream()

  private func bookmark(_ revision: Revision) -> Bookmark { Bookmark(epoch: epoch, revision: revision) }

  @Test("a report that is older than what a save returned is passed over")
  func stale() async throws {
    let key = ScriptedKey(
      name: "stale", reports: reports.stream, saved: SharedSnapshot(10, bookmark(10)))
    @Shared(key) var number = 0
    var values = $number.values.makeAsyncIterator()
    #expect(await values.next() == 0)
    number = 10
    try await $number.save()
    #expect(await values.next() == 10)
    // Nine was on its way when ten was saved.
    reports.continuation.yield(.value(9, bookmark(9)))
    reports.continuation.yield(.absent(bookmark(8)))
    reports.continuation.yield(.value(10, bookmark(10)))
    reports.continuation.yield(.value(11, bookmark(11)))
    #expect(await values.next() == 11)
  }

  @Test("another epoch and a home without a history are believed")
  func otherEpoch() async {
    let key = ScriptedKey(name: "epoch", reports: reports.stream, saved: SharedSnapshot(0))
    @Shared(key) var number = 0
    var values = $number.values.makeAsyncIterator()
    #expect(await values.next() == 0)
    for report: SharedReport<Int> in [
      .value(5, bookmark(100)), .value(6, Bookmark(epoch: Epoch(high: 3, low: 4), revision: 1)),
      .value(7), .value(8, bookmark(1)),
    ] {
      reports.continuation.yield(report)
      guard case .value(let value, _) = report else { continue }
      #expect(await values.next() == value)
    }
  }

  @Test("a value that is confirmed or set again unchanged is not repeated, however often")
  func noRepetition() async throws {
    let key = ScriptedKey(name: "repeat", reports: reports.stream, saved: SharedSnapshot(1))
    @Shared(key) var number = 0
    let shared = $number
    let seen = Log<Int>()
    let reader = Task {
      for await value in shared.values {
        seen.append(value)
        if value == 2 { break }
      }
    }
    try await eventually("the first value is read") { seen.entries == [0] }
    for _ in 0..<20 {
      number = 1
      try await shared.save()
      reports.continuation.yield(.value(1))
    }
    try await eventually("the second value is read") { seen.entries == [0, 1] }
    reports.continuation.yield(.value(2))
    await reader.value
    #expect(seen.entries == [0, 1, 2])
  }
}
