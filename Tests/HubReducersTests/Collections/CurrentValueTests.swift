// The value behind the number store in memory: what counts as a change.

import Testing

@testable import HubReducers

@Suite("A value of this process") struct CurrentValueTests {
  @Test("a set of an equal value is not pushed where the hub would not push it")
  func equal() async throws {
    let number = CurrentValue(5)
    let first = try #require(await number.next(after: 0))
    number.setIfChanged(5)
    number.setIfChanged(6)
    let second = try #require(await number.next(after: first.version))
    #expect(second.value == 6 && second.version == first.version + 1)
    number.set(6)
    #expect(try #require(await number.next(after: second.version)).version == second.version + 1)
  }
}
