// Tests shared values: one per key, read at once, written through, refused, and asserted in test stores.

import HubReducers
import HubReducersTesting
import Observation
import Synchronization
import Testing

@Reducer
private struct Counter {
  struct State: Equatable {
    @Shared(.inMemory("count")) var count = 0
    @Shared(.inMemory("history")) var history: [Int] = []
    var own = 0
  }

  enum Action: Equatable, Sendable {
    case increment
    case both
    case nothing
    case later
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .both:
        state.$count.withLock { $0 += 1 }
        state.history.append(state.count)
        state.own += 1
        return .none
      case .nothing: return .none
      case .later: return .run { send in await send(.both) }
      }
    }
  }
}

@Suite(.dependencies()) struct SharedTests {
  private struct Holder {
    @Shared(.inMemory("number")) var number = 1
  }

  @Test("holders of a key share one value; the first one's initial value counts")
  func oneValue() {
    let first = Holder()
    @Shared(.inMemory("number")) var second = 99
    #expect(second == 1)
    first.number = 5
    #expect(second == 5)
    $second.withLock { $0 += 1 }
    #expect(first.number == 6)
  }

  @Test("withLock returns what its closure returns, and a change that throws changes nothing")
  func results() throws {
    struct SoldOut: Error {}

    @Shared(.inMemory("seats")) var seats = 1
    let take = { @Sendable (left: inout Int) throws(SoldOut) -> Int in
      left -= 1
      if left < 0 { throw SoldOut() }
      return left
    }
    #expect(try $seats.withLock(take) == 0)
    #expect(throws: SoldOut.self) { try $seats.withLock(take) }
    #expect(seats == 0)
    @Shared(value: [1, 2]) var list
    #expect($list.elements()[1].withLock { $0 + 1 } == 3)
  }

  @Test("a value that nobody holds is forgotten")
  func forgotten() {
    do {
      @Shared(.inMemory("brief")) var value = 1
      value = 2
    }
    @Shared(.inMemory("brief")) var value = 7
    #expect(value == 7)
  }

  @Test("keys of different types never meet")
  func types() {
    @Shared(.inMemory("same")) var number = 1
    @Shared(.inMemory("same")) var text = "a"
    number = 2
    #expect(text == "a")
  }

  @Test("changes from many tasks are all kept")
  func concurrency() async {
    @Shared(.inMemory("sum")) var sum = 0
    let shared = $sum
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask { for _ in 0..<500 { shared.withLock { $0 += 1 } } }
      }
    }
    #expect(sum == 8000)
  }

  @Test("a change function may use other shared values: nothing is locked while it runs")
  func nested() {
    @Shared(.inMemory("a")) var a = 1
    @Shared(.inMemory("b")) var b = 2
    let (sharedA, sharedB) = ($a, $b)
    sharedA.withLock { value in
      sharedB.withLock { $0 += 1 }
      value += sharedB.wrappedValue
    }
    #expect(a == 4)
  }

  @Test("reading is observed, and the values are a sequence")
  func observed() async {
    @Shared(.inMemory("seen")) var value = 0
    let changes = Mutex(0)
    let shared = $value
    withObservationTracking {
      _ = shared.wrappedValue
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    var values = shared.values.makeAsyncIterator()
    #expect(await values.next() == 0)
    value = 3
    #expect(await values.next() == 3)
    #expect(changes.withLock { $0 } == 1)
  }

  @Test("a remote value is loading until it is known, then follows its home")
  func follows() async {
    let home = RemoteHome(5)
    @Shared(.remote(home)) var number = 0
    for await value in $number.values where value == 5 { break }
    #expect(!$number.isLoading)
    home.set(6)
    for await value in $number.values where value == 6 { break }
    home.set(nil)
    for await value in $number.values where value == 0 { break }
  }

  @Test("a write is seen at once and written through")
  func writeThrough() async throws {
    let home = RemoteHome(5)
    @Shared(.remote(home)) var number = 0
    number = 9
    #expect(number == 9)
    try await $number.save()
    #expect(home.value == 9)
    #expect($number.saveError == nil)
  }

  @Test("a refused write reverts to the home's value and says why, until the next one is taken")
  func refused() async throws {
    let home = RemoteHome(5)
    @Shared(.remote(home)) var number = 0
    for await value in $number.values where value == 5 { break }
    home.refuse()
    number = 9
    do {
      try await $number.save()
      Issue.record("the refused write was saved")
    } catch {
      #expect(error is RemoteHome.Refused)
    }
    #expect(number == 5)
    #expect($number.saveError is RemoteHome.Refused)
    home.refuse(false)
    number = 7
    try await $number.save()
    #expect(number == 7)
    #expect($number.saveError == nil)
  }

  @Test("a change that throws over the home's newer value leaves that value")
  func refusedByItself() async throws {
    struct SoldOut: Error {}

    let home = RemoteHome(10)
    let (gate, open) = AsyncStream<Void>.makeStream()
    @Shared(.remote(home)) var seats = 0
    for await value in $seats.values where value == 10 { break }
    home.hold(gate)
    let take = { @Sendable (left: inout Int) throws(SoldOut) -> Int in
      left -= 1
      if left < 0 { throw SoldOut() }
      return left
    }
    #expect(try $seats.withLock(take) == 9)
    home.set(0)
    for await value in $seats.values where value == 0 { break }
    open.finish()
    try await $seats.save()
    #expect(home.value == 0)
    #expect(seats == 0)
  }

  @Test("a change made elsewhere while ours is on its way is kept: ours is applied on top")
  func rebased() async throws {
    let home = RemoteHome(10)
    let (gate, open) = AsyncStream<Void>.makeStream()
    @Shared(.remote(home)) var number = 0
    for await value in $number.values where value == 10 { break }
    home.hold(gate)
    $number.withLock { $0 += 1 }
    $number.withLock { $0 *= 2 }
    #expect(number == 22)
    home.set(100)
    for await value in $number.values where value == 202 { break }
    open.finish()
    try await $number.save()
    #expect(number == 202 && home.value == 202 && home.saves <= 2)
  }

  @Test("a value that nobody holds is not followed any more")
  func unfollowed() async {
    let home = RemoteHome(1)
    weak var reference: AnyObject?
    do {
      @Shared(.remote(home)) var number = 0
      for await value in $number.values where value == 1 { break }
      reference = $number.identity
    }
    #expect(reference == nil)
  }

  @Test("a test store asserts shared values like any other state")
  func testStore() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    await store.send(.increment) { $0.count = 1 }
    await store.send(.both) {
      $0.$count.withLock { $0 = 2 }
      $0.history = [2]
      $0.own = 1
    }
    await store.send(.later)
    await store.receive(.both) {
      $0.count += 1
      $0.history.append(3)
      $0.own = 2
    }
    #expect(store.state.count == 3)
    store.assert { $0.count = 3 }
  }

  @Test("an unasserted or wrongly asserted shared change fails")
  func testStoreFailures() async {
    let messages = await testFailures {
      let store = TestStore(initialState: Counter.State()) { Counter() }
      await store.send(.increment)
      await store.send(.increment) { $0.count = 5 }
      await store.send(.nothing) { $0.history = [1] }
      await store.send(.nothing)
      store.exhaustivity = .off
      await store.send(.both) { $0.history = [3] }
    }
    #expect(messages.count == 3)
    #expect(messages.last?.contains("The shared value .inMemory(\"history\") is not") == true)
  }

  @Test("a value that nothing stands in for is waited for, and its absence is an error")
  func required() async throws {
    let shared = try await Shared(require: .remote(RemoteHome(5)))
    #expect(shared.wrappedValue == 5)
    await #expect(throws: SharedValueMissing.self) { try await Shared(require: .remote(RemoteHome(nil))) }
    await #expect(throws: SharedValueMissing.self) {
      try await Shared<Int>(require: .inMemory("none"))
    }
  }

  @Test("stores under test do not share in-memory values")
  func isolation() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let store = withDependencies {
            $0 = DependencyValues()
          } operation: {
            TestStore(initialState: Counter.State()) { Counter() }
          }
          for number in 1...20 { await store.send(.increment) { $0.count = number } }
        }
      }
    }
  }
}
