// Tests the articles' number store on the hub: in memory here; `RealHubTests` has it on a process.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Synchronization
import Testing

/// As in the article: `liveValue` is computed, and makes a new object each time.
private struct ComputedNumber: DependencyKey {
  static let made = Atomic(0)

  static var liveValue: NumberStore {
    made.add(1, ordering: .relaxed)
    return .inMemory(5)
  }

  static var testValue: NumberStore { NumberStore() }
}

@Suite struct HubNumberStoreTests {
  private let memory = InMemoryHub()

  private func numberStore(_ name: String = "number", initial: Int = 0) -> NumberStore {
    withDependencies {
      $0.hub = memory.connect()
    } operation: {
      .hub(name, initial: initial)
    }
  }

  private func first(_ count: Int, of numberStore: NumberStore) async -> [Int] {
    var numbers: [Int] = []
    for await number in await numberStore.value() {
      numbers.append(number)
      if numbers.count == count { break }
    }
    return numbers
  }

  @Test("what one program sets, another one's late subscriber gets first")
  func lateSubscriber() async {
    let (one, other) = (numberStore(), numberStore())
    await one.updateValue(8)
    #expect(await first(1, of: other) == [8])
    await other.updateValue(9)
    #expect(await first(1, of: one) == [9])
  }

  @Test("a stream begins with the initial number while nobody has set one, and after a removal")
  func absent() async throws {
    let numberStore = numberStore(initial: 7)
    var numbers = await numberStore.value().makeAsyncIterator()
    #expect(await numbers.next() == 7)
    await numberStore.updateValue(8)
    #expect(await numbers.next() == 8)
    try await memory.connect().value("number", of: Int.self).remove()
    #expect(await numbers.next() == 7)
  }

  @Test("the first use creates the store with the initial number, and leaves one that is there alone")
  func creates() async throws {
    let number = memory.connect().value("number", of: Int.self)
    #expect(await first(1, of: numberStore(initial: 7)) == [7])
    #expect(try await number.get() == 7)
    try await number.set(8)
    #expect(try await number.reset() == 7)
    try await number.set(8)
    #expect(await first(1, of: numberStore(initial: 3)) == [8])
    let named = numberStore("other", initial: 5)
    await named.updateValue(6)
    let other = memory.connect().value("other", of: Int.self)
    #expect(try await other.get() == 6)
    #expect(try await other.reset() == 5)
  }

  @Test("streams have a pace of their own, and each ends on the newest number")
  func pace() async {
    let numberStore = numberStore()
    var (quick, slow) = (
      await numberStore.value().makeAsyncIterator(), await numberStore.value().makeAsyncIterator()
    )
    _ = (await quick.next(), await slow.next())
    for number in 1...20 {
      await numberStore.updateValue(number)
      #expect(await quick.next() == number)
    }
    #expect(await slow.next() == 20)
  }

  @Test("a number that the hub refuses or cannot tell is a reported issue")
  func refused() async throws {
    try memory.declare(["number": Schema(type: .integer, maximum: .integer(10))])
    let numberStore = numberStore()
    let messages = await issues { await numberStore.updateValue(11) }
    #expect(messages.count == 1 && messages[0].contains("11"))

    let unnamed = self.numberStore("not a name")
    let others = await issues { #expect(await first(1, of: unnamed) == []) }
    #expect(others.count == 1 && others[0].contains("not a name"))
  }

  @Test("the live value is one per process, even where it is computed")
  func oneLiveValue() async {
    await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<16 {
        group.addTask {
          var values = DependencyValues()
          values.context = .live
          return await self.first(1, of: values[ComputedNumber.self])
        }
      }
      for await numbers in group { #expect(numbers == [5]) }
    }
    #expect(ComputedNumber.made.load(ordering: .relaxed) == 1)
  }

  @Test("the live number store is the hub's number, for every feature that asks")
  func live() async throws {
    let number = memory.connect().value("number", of: Int.self)
    // The first who asks in this process decides which hub; no other test asks for the live one.
    let (one, other) = withDependencies {
      $0.context = .live
      $0.hub = memory.connect()
    } operation: {
      (Dependency(\.numberStore).wrappedValue, Dependency(\.numberStore).wrappedValue)
    }
    await one.updateValue(3)
    #expect(try await number.get() == 3)
    try await number.set(4)
    #expect(await first(1, of: other) == [4])
  }
}
