// Tests subscriptions under misuse: thousands of triggers, sequences that throw, never end or end at once, children that
// end themselves.

import HubReducers
import HubReducersTesting
import Synchronization
import TestSupport
import Testing

private struct Broken: Error, Equatable {}

/// Throws when asked for the element of that number.
private struct Throwing: AsyncSequence, Sendable {
  typealias Element = Int
  let last: Int

  struct Iterator: AsyncIteratorProtocol {
    var next = 0
    let last: Int

    mutating func next() async throws -> Int? {
      next += 1
      if next > last { throw Broken() }
      return next
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(last: last) }
}

@Reducer
private struct Feature {
  struct State: Equatable {
    var numbers: [Int] = []
    var life: [SubscriptionEvent] = []
    var isOn = false
  }

  enum Action: Equatable, Sendable {
    case task
    case stop
    case toggle
    case number(Int)
    case life(SubscriptionEvent)
    case both
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task, .stop: break
      case .toggle: state.isOn.toggle()
      case .number(let number): state.numbers.append(number)
      case .life(let event): state.life.append(event)
      case .both: return .merge(.send(.task), .send(.stop), .send(.task), .send(.stop), .send(.task))
      }
      return .none
    }
  }
}

@Suite struct StubbornSubscriptionTests {
  private let source = Source()

  private func store(_ reducer: () -> some ReducerOf<Feature>) -> TestStoreOf<Feature> {
    TestStore(initialState: Feature.State(), reducer: reducer)
  }

  @Test("a thousand triggers leave one subscription, and each element arrives once")
  func retriggers() async {
    for policy in [Retrigger.restart, .ignore] {
      let source = Source()
      let store = store {
        Feature().subscribe(to: source.stream, on: \.task, with: \.number).until(\.stop).onRetrigger(policy)
      }
      for _ in 0..<1000 { await store.send(.task) }
      #expect(source.readers == 1)
      #expect(source.made == (policy == .ignore ? 1 : 1000))
      source.send(1)
      await store.receive(.number(1)) { $0.numbers = [1] }
      await store.send(.stop)
      #expect(source.readers == 0)
      await store.finish()
    }
  }

  @Test("a thousand more are a thousand more, and one stop ends them all")
  func addAnother() async {
    let store = store {
      Feature().subscribe(
        to: source.stream, on: \.task, with: \.number
      ).until(\.stop).onRetrigger(.addAnother)
    }
    for _ in 0..<1000 { await store.send(.task) }
    #expect(source.readers == 1000)
    await store.send(.stop)
    #expect(source.readers == 0)
    await store.finish()
  }

  @Test("a live store takes triggers by the thousand, and ends with one subscription")
  @MainActor func retriggersLive() async throws {
    let store = Store(initialState: Feature.State()) {
      Feature().subscribe(to: source.stream, on: \.task, with: \.number).until(\.stop)
    }
    for index in 0..<2000 {
      store.send(.task)
      if index.isMultiple(of: 100) { await Task.yield() }
    }
    // One that was replaced may still be reading when the last has not begun: what it reads goes nowhere.
    var sent = 0
    try await eventually("the last one reads") {
      sent += 1
      source.send(sent)
      return !store.state.numbers.isEmpty
    }
    try await eventually("one is left") { source.readers == 1 }
    #expect(store.state.numbers == store.state.numbers.sorted())
    #expect(Set(store.state.numbers).count == store.state.numbers.count)
    await store.shutdown()
    #expect(source.readers == 0)
  }

  @Test("triggers and stops in one batch: the last word counts")
  func batch() async {
    let store = store { Feature().subscribe(to: source.stream, on: \.task, with: \.number).until(\.stop) }
    store.exhaustivity = .off
    await store.send(.both)
    #expect(source.readers == 1 && source.made == 1)
    await store.send(.stop)
    #expect(source.readers == 0)
  }

  @Test("one action that is trigger and stop restarts")
  func triggerIsStop() async {
    let store = store { Feature().subscribe(to: source.stream, on: \.task, with: \.number).until(\.task) }
    for _ in 0..<3 { await store.send(.task) }
    #expect(source.readers == 1 && source.made == 3)
    await store.cancelInFlightEffects()
  }

  @Test("a sequence that throws at once, later, or before it exists, fails once", arguments: [-1, 0, 1, 5])
  func throwing(last: Int) async {
    let store = store {
      Feature().subscribe(
        to: { () async throws -> Throwing in
          if last < 0 { throw Broken() }
          return Throwing(last: last)
        }, on: \.task, with: \.number
      ).lifecycle(\.life)
    }
    store.exhaustivity = .off
    for _ in 0..<3 {
      await store.send(.task)
      await store.skipReceivedActions()
      await store.finish()
    }
    let life = (last < 0 ? [] : [SubscriptionEvent.connected]) + [.failed(Broken())]
    #expect(store.state.life == life + life + life)
    #expect(store.state.numbers.count == 3 * max(0, last))
  }

  @Test("an operation that throws ends its subscription, and the failure is told")
  func throwingOperation() async {
    let store = store {
      Feature().subscribe(to: source.stream, on: \.task) { send, number in
        if number == 2 { throw Broken() }
        await send(.number(number))
      }.lifecycle(\.life)
    }
    await store.send(.task)
    await store.receive(.life(.connected)) { $0.life = [.connected] }
    source.send(1)
    await store.receive(.number(1)) { $0.numbers = [1] }
    source.send(2)
    await store.receive(.life(.failed(Broken()))) { $0.life.append(.failed(Broken())) }
    #expect(source.readers == 0)
    await store.finish()
  }

  @Test("a stream that never gets an element ends when it is told to, started or not")
  func silent() async {
    for _ in 0..<50 {
      let store = store {
        Feature()
          .subscribe(to: { AsyncStream<Int>.makeStream().stream }, on: \.task, with: \.number).until(\.stop)
          .subscribe(
            to: SequenceSource { await never(AsyncStream<Int>.self) ?? AsyncStream { nil } }, while: \.isOn,
            with: \.number)
      }
      await store.send(.task)
      await store.send(.toggle) { $0.isOn = true }
      await store.send(.toggle) { $0.isOn = false }
      await store.send(.stop)
      await store.finish()
    }
  }

  @Test("a condition that flickers a thousand times leaves what the last state asks for")
  func flicker() async {
    let store = store {
      Feature().subscribe(to: SequenceSource(source.stream), while: \.isOn, with: \.number)
    }
    store.exhaustivity = .off
    for _ in 0..<1001 { await store.send(.toggle) }
    #expect(source.readers == 1 && source.made == 501)
    await store.send(.toggle)
    #expect(source.readers == 0)
  }
}
