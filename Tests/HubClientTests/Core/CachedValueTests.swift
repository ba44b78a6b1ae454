// What a handle shows without a lock: the same as the core, at every moment, to any number of threads.

import HubCore
import HubSystem
import HubTesting
import Synchronization
import TestSupport
import Testing

@testable import HubClient

@Suite("A value that is read without a lock")
struct CachedValueTests {
  private func follow<Value>(_ value: SharedValue<Value>) async throws -> ValueSequence<Value>.Iterator {
    var iterator = value.values.makeAsyncIterator()
    _ = try await iterator.next()
    return iterator
  }

  @Test("every type of value is shown while a stream is open, and what the last write has set")
  func types() async throws {
    let hub = Hub.inMemory()
    try await expect(hub.value("integer"), [1, .min, .max])
    try await expect(hub.value("small", of: UInt8.self), [0, 255])
    try await expect(hub.value("double"), [0.5, -0.0, .greatestFiniteMagnitude])
    try await expect(hub.value("boolean"), [true, false])
    try await expect(hub.value("text"), ["a", "b"])
    try await expect(hub.value("list", of: [Int].self), [[1], [2]])
  }

  private func expect<Value: Equatable>(_ value: SharedValue<Value>, _ values: [Value]) async throws {
    #expect(value.cached == nil)
    try await value.set(values[0])
    #expect(value.cached == nil, "there is no stream")
    let stream = try await follow(value)
    for new in values {
      try await value.set(new)
      #expect(value.cached == new)
    }
    withExtendedLifetime(stream) {}
  }

  @Test("it goes with the store, comes back with it, and is gone with the last stream")
  func lifetimes() async throws {
    let hub = Hub.inMemory()
    let (number, same) = (hub.value("a", of: Int.self), hub.value("a", of: Int.self))
    try await number.set(1)
    var streams = [try await follow(number), try await follow(same)]
    #expect(number.cached == 1 && same.cached == 1)
    try await number.remove()
    #expect(number.cached == nil && same.cached == nil)
    try await number.set(2)
    #expect(number.cached == 2 && same.cached == 2)
    streams.removeLast()
    #expect(number.cached == 2)
    streams.removeLast()
    #expect(number.cached == nil && same.cached == nil)
    let again = try await follow(number)
    #expect(number.cached == 2 && same.cached == 2)
    hub.close()
    #expect(number.cached == nil && same.cached == nil)
    withExtendedLifetime(again) {}
  }

  @Test("a handle that has read it sees another store of the name, of another type, as the core does")
  func otherType() async throws {
    let hub = Hub.inMemory()
    let (number, level) = (hub.value("a", of: Int.self), hub.value("a", of: Double.self))
    let text = hub.value("a", of: String.self)
    try await number.set(3)
    let stream = hub.anyValue("a").values.makeAsyncIterator()
    #expect(number.cached == 3 && level.cached == 3 && text.cached == nil)
    try await number.remove()
    try await text.set("three")
    #expect(number.cached == nil && level.cached == nil && text.cached == "three")
    withExtendedLifetime(stream) {}
  }

  @Test("after a lost connection it is what was seen last, until the hub has another value")
  func losses() async throws {
    let hub = Hub.inMemory()
    let memory = try #require(hub.memory)
    let number = hub.value("a", of: Int.self)
    try await number.set(1)
    let stream = try await follow(number)
    memory.stop()
    #expect(number.cached == 1)
    memory.start(keepingState: false)
    memory.advance(by: .seconds(1))
    #expect(number.cached == nil, "the other hub has no such store")
    try await number.set(5)
    #expect(number.cached == 5)
    withExtendedLifetime(stream) {}
  }

  /// What reading threads share with the one that writes.
  private final class Reading: Sendable {
    let cell = CachedValue()
    let isOver = Atomic(false)
    let mistakes = Atomic(0)
    /// How often a reader has seen another value than before.
    let changes = Atomic(0)

    func read() {
      var last: Int64 = 0
      while !isOver.load(ordering: .acquiring) {
        let before = last
        // An even number is an integer, an odd one a double: a mixture of two writes would show.
        switch cell.glance() {
        case .value(.integer(let integer)) where integer % 2 == 0 && integer >= last: last = integer
        case .value(.double(let double)) where Int64(double) % 2 == 1 && Int64(double) >= last:
          last = Int64(double)
        case .elsewhere: break
        default: mistakes.add(1, ordering: .relaxed)
        }
        if last != before { changes.add(1, ordering: .relaxed) }
      }
    }
  }

  @Test("readers on several threads see whole values only, each at least as new as the one before")
  func threads() throws {
    let reading = Reading()
    reading.cell.show(.integer(0))
    let threads = try (0..<3).map { _ in try SystemThread.start { reading.read() } }
    var number: Int64 = 0
    while reading.changes.load(ordering: .relaxed) < 200_000, reading.mistakes.load(ordering: .relaxed) == 0 {
      number += 1
      reading.cell.show(number % 2 == 0 ? .integer(number) : .double(Double(number)))
    }
    reading.isOver.store(true, ordering: .releasing)
    for thread in threads { thread.join() }
    #expect(reading.mistakes.load(ordering: .relaxed) == 0)
  }

  @Test("the core lets a word go with the last handle that reads it")
  func users() {
    var values = CachedValues()
    #expect(values["a"] == nil)
    let first = values.enter("a")
    #expect(values.enter("a") === first && values["a"] === first && values["b"] == nil)
    values.leave("a")
    #expect(values["a"] === first)
    values.leave("a")
    values.leave("a")
    #expect(values["a"] == nil)
  }
}
