// What observers on the main actor see of a shared value, and of the hub that goes away and comes back.

import HubClient
import HubTesting
import Observation
import TestSupport
import Testing

@MainActor @Suite("An observed value")
struct ObservedValueTests {
  let hub = Hub.inMemory()
  var number: SharedValue<Int> { hub.value("number") }

  /// Waits until the view is so, woken by its changes.
  private func until(_ isSo: @escaping @MainActor @Sendable () -> Bool) async {
    for await now in Observations({ isSo() }) where now { return }
  }

  @Test("shows the value, each change and the removal, and that it is the hub's")
  func values() async throws {
    let view = ObservedValue(number)
    #expect(view.value == nil)
    #expect(view.state == .loading)
    await until { view.state == .current }
    #expect(view.value == nil)
    try await number.set(1)
    await until { view.value == 1 }
    try await view.shared.set(2)
    await until { view.value == 2 }
    #expect(view.state == .current)
    try await number.remove()
    await until { view.value == nil }
  }

  @Test("has the value at once if a stream of the same Hub has seen it")
  func cached() async throws {
    try await number.set(7)
    var values = number.values.makeAsyncIterator()
    #expect(try await values.next() == 7)
    let view = ObservedValue(number)
    #expect(view.value == 7)
    #expect(view.state == .loading)
    await until { view.state == .current }
  }

  @Test("tells withObservationTracking of a change, once for each tracking, and only of what was read")
  func tracking() async throws {
    let view = ObservedValue(number)
    await until { view.state == .current }
    var changes = 0
    func track() {
      withObservationTracking {
        _ = view.value
      } onChange: {
        // The view changes on the main actor only.
        MainActor.assumeIsolated { changes += 1 }
      }
    }
    track()
    try await number.set(1)
    await until { view.value == 1 }
    try await number.set(2)
    await until { view.value == 2 }
    #expect(changes == 1)
    track()
    hub.memory?.stop()
    await until { view.state != .current }
    #expect(changes == 1)
  }

  @Test("is an asynchronous sequence of Observations, the current value first")
  func observations() async throws {
    try await number.set(1)
    let view = ObservedValue(number)
    var seen: [Int] = []
    for await value in Observations({ view.value }) {
      guard let value else { continue }
      seen.append(value)
      if value == 4 { break }
      try await number.set(value + 1)
    }
    #expect(seen == [1, 2, 3, 4])
  }

  @Test("is stale from the loss of the hub until it has caught up, and keeps its value meanwhile")
  func stale() async throws {
    let memory = try #require(hub.memory)
    try await number.set(1)
    let view = ObservedValue(number)
    await until { view.state == .current }
    memory.advance(by: .seconds(5))
    let lost = hub.now
    memory.stop()
    memory.advance(by: .seconds(5))
    await until { if case .stale(_, let error) = view.state { error.code == .noHub } else { false } }
    guard case .stale(let since, _) = view.state else { return }
    #expect(since == lost)
    #expect(view.value == 1)
    memory.start(keepingState: true)
    try await memory.connect().value("number").set(2)
    memory.advance(by: .seconds(10))
    await until { view.state == .current }
    #expect(view.value == 2)
  }

  @Test("loses its value with a hub that comes back without the store")
  func forgotten() async throws {
    let memory = try #require(hub.memory)
    try await number.set(1)
    let view = ObservedValue(number)
    await until { view.value == 1 }
    memory.restart(keepingState: false)
    memory.advance(by: .seconds(10))
    await until { view.value == nil }
    await until { view.state == .current }
  }

  @Test("is stale while the store holds something else, and current again after it")
  func undecodable() async throws {
    try await number.set(1)
    let view = ObservedValue(number)
    await until { view.value == 1 }
    try await number.remove()
    try await hub.value("number", of: String.self).set("one")
    await until { if case .stale(_, let error) = view.state { error.code == .undecodable } else { false } }
    try await hub.anyValue("number").remove()
    try await number.set(3)
    await until { view.value == 3 }
    #expect(view.state == .current)
  }

  @Test("ends with its Hub, and says so")
  func ended() async throws {
    let view = ObservedValue(number)
    await until { view.state == .current }
    hub.close()
    await until { if case .ended(let error) = view.state { error.code == .closed } else { false } }
  }

  @Test("that is released stops its watch")
  func released() async throws {
    let observer = try #require(hub.memory).connect()
    var view: ObservedValue<Int>? = ObservedValue(number)
    await until { [view] in view?.state == .current }
    weak let released = view
    view = nil
    try await eventually("the view is gone") { released == nil }
    try await eventually("the watch is gone") {
      try await observer.stats().first { $0.name == "watches" }?.value == 0
    }
  }
}
