// Changes that depend on what is there: those that return, refuse, or begin with a value of their own.

import HubClient
import HubTesting
import TestSupport
import Testing

private struct SoldOut: Error {}

private enum Mode: String, Codable, Sendable { case day, night }
private enum Level: Int, Codable, Sendable { case low = 1, high }
private enum Shape: Codable, Sendable { case round, square }
private struct Flags: OptionSet, Codable, Sendable {
  let rawValue: UInt8
}

@Suite("Changes of what is there")
struct UpdateTests {
  private let memory = InMemoryHub()
  private let hub: Hub

  init() { hub = memory.connect() }

  @Test("update returns what its closure returns for the value that was set")
  func returning() async throws {
    let count = hub.value("count", of: Int.self)
    let before = try await count.update(default: 40) { number in
      defer { number += 1 }
      return "\(number)"
    }
    #expect(before == "40")
    #expect(try await count.get() == 41)
  }

  @Test("an update that throws sets nothing, and its error is thrown")
  func refusing() async throws {
    let seats = hub.value("seats", of: Int.self)
    try await seats.set(1)
    func take() async throws -> Int {
      try await seats.update { left in
        defer { left -= 1 }
        if left == 0 { throw SoldOut() }
        return left
      }
    }
    #expect(try await take() == 1)
    let stored = try await seats.read()
    await #expect(throws: SoldOut.self) { try await take() }
    #expect(try await seats.read() == stored)
  }

  @Test("an update that other programs keep ahead of ends with the Hub's time-out")
  func overtaken() async throws {
    let hub = memory.connect(timeout: .seconds(1))
    let (count, other) = (hub.value("count", of: Int.self), memory.connect().value("count", of: Int.self))
    try await other.set(0)
    var attempts = 0
    let error = await failure {
      try await count.update { number in
        attempts += 1
        memory.overtake(other, attempts)
        number += 1
      }
    }
    #expect(error?.code == .timeout)
    #expect(attempts == 4)
  }

  @Test("add and toggle with a default create the store in one transaction, and then change what is there")
  func creating() async throws {
    let (count, flag) = (hub.value("count", of: Int.self), hub.value("flag", of: Bool.self))
    #expect(await failure { try await count.add(1) }?.code == .noSuchStore)
    #expect(await failure { try await flag.toggle() }?.code == .noSuchStore)
    #expect(try await count.add(2, default: 40) == 42)
    #expect(try await count.add(2, default: 40) == 44)
    #expect(try await flag.toggle(default: false))
    #expect(try await flag.toggle(default: false) == false)
    try await hub.create("bounded", Schema(type: .integer, maximum: .integer(5)))
    #expect(
      await failure { try await hub.value("bounded", of: Int.self).add(9, default: 0) }?.code == .outOfRange)
  }

  @Test("a removal holds its revision, also in a transaction; other conditions are refused before it is sent")
  func removing() async throws {
    let seats = hub.value("seats", of: Int.self)
    try await seats.set(1)
    let old = try await seats.read()
    try await seats.set(2)
    #expect(await failure { try await seats.remove(if: .unchanged(since: old)) }?.code == .conflict)
    for condition in [Condition<Int>.absent, .value(2)] {
      let alone = await failure { try await seats.remove(if: condition) }
      #expect(alone?.code == .invalidValue && alone?.store == "seats")
      let inside = await failure {
        try await hub.transaction {
          $0.set(seats, to: 3)
          $0.remove(seats, if: condition)
        }
      }
      #expect(inside?.code == .invalidValue && inside?.operation == 1)
    }
    let stored = try await seats.read()
    #expect(stored.value == 2)
    try await hub.transaction { $0.remove(seats, if: .unchanged(since: stored)) }
    #expect(await failure { try await seats.get() }?.code == .noSuchStore)
  }

  @Test("programs that add with a default at the same time lose no addition")
  func addingTogether() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await memory.connect().value("count", of: Int.self).add(1, default: 0) }
      }
      try await group.waitForAll()
    }
    #expect(try await hub.value("count", of: Int.self).get() == 20)
  }

  @Test("an enumeration is stored as its raw value, natively; one without raw values is JSON")
  func enumerations() async throws {
    try await hub.value("mode").set(Mode.night)
    try await hub.value("level").set(Level.high)
    try await hub.value("flags").set(Flags(rawValue: 5))
    try await hub.value("shape").set(Shape.round)
    #expect(try await hub.anyValue("mode").get() == .string("night"))
    #expect(try await hub.anyValue("level").get() == .integer(2))
    #expect(try await hub.anyValue("flags").get() == .integer(5))
    #expect(try await hub.describe("shape").schema.type == .json)
    #expect(try await hub.value("level", of: Level.self).get() == .high)
    try await hub.anyValue("mode").set(.string("dusk"))
    let error = await failure { try await hub.value("mode", of: Mode.self).get() }
    #expect(error?.code == .undecodable && error?.store == "mode")
  }
}

extension InMemoryHub {
  /// Another program's write, between the reading and the writing of an update: on a hub in memory it is made within the call.
  fileprivate func overtake(_ store: SharedValue<Int>, _ value: Int) {
    advance(by: .milliseconds(300))
    // Begun here, made at once; nothing waits for the answer.
    Task.immediate { _ = try? await store.set(value + 100) }
  }
}
