// Tests subscriptions that one line makes, in a loop or in a function: each is one of its own.

import HubReducers
import HubReducersTesting
import Testing

private struct State: Equatable {
  var got: [Int] = []
  var open: Set<Int> = []
  var trips = 0
}

@CasePathable
private enum Action: Equatable, Sendable {
  case task
  case stop
  case stopOther
  case open(Set<Int>)
  case trip
  case got(Int)
}

private func logic(_ state: inout State, _ action: Action) -> Effect<Action> {
  switch action {
  case .got(let number): state.got.append(number)
  case .open(let open): state.open = open
  case .trip: state.trips += 1
  case .task, .stop, .stopOther: break
  }
  return .none
}

private var feature: Reduce<State, Action> { Reduce(logic) }

extension Reducer
where State == SubscriptionsOfOneLineTests.Rooms, Action == SubscriptionsOfOneLineTests.Event {
  /// A function of a program's own: its line makes every subscription.
  fileprivate func following(_ source: Source, until stop: PartialCaseKeyPath<Action>) -> some ReducerOf<Self>
  {
    subscribe(to: source.stream, on: \.task, with: \.got).until(stop)
  }
}

/// Wraps a reducer by hand, and prepares nothing.
private struct Wrapper<Base: Reducer>: Reducer {
  let base: Base

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    base.reduce(into: &state, action: action)
  }
}

@Suite struct SubscriptionsOfOneLineTests {
  fileprivate typealias Rooms = State
  fileprivate typealias Event = Action

  private let sources = [Source(), Source(), Source()]
  private var readers: [Int] { sources.map(\.readers) }
  private var made: [Int] { sources.map(\.made) }

  private func store(
    @ReducerBuilder<State, Action> _ reducer: () -> some Reducer<State, Action>
  ) -> TestStore<State, Action> {
    let store = TestStore(initialState: State(), reducer: reducer)
    store.exhaustivity = .off
    return store
  }

  @Test("a loop's subscriptions all run, and each keeps to itself", arguments: [Retrigger.restart, .ignore])
  func loop(_ retrigger: Retrigger) async {
    let store = store {
      feature
      for source in sources {
        EmptyReducer().subscribe(to: source.stream, on: \.task, with: \.got).onRetrigger(retrigger)
          .until(\.stop)
      }
    }
    await store.send(.task)
    #expect(readers == [1, 1, 1])
    for (index, source) in sources.enumerated() { source.send(index) }
    for index in sources.indices { await store.receive(.got(index)) }
    await store.send(.task)
    #expect(readers == [1, 1, 1])
    #expect(made == (retrigger == .restart ? [2, 2, 2] : [1, 1, 1]))
    await store.send(.stop)
    #expect(readers == [0, 0, 0])
    await store.finish()
  }

  @Test("so do those with an operation, and those with an argument")
  func forms() async {
    let store = store {
      feature
      for source in sources {
        EmptyReducer()
          .subscribe(to: source.stream, on: \.task) { send, number in await send(.got(number)) }
      }
      for source in sources {
        EmptyReducer().subscribe(to: { _ in source.stream() }, using: \.trips, on: \.task, with: \.got)
      }
    }
    let task = await store.send(.task)
    #expect(readers == [2, 2, 2])
    await store.send(.task)
    #expect(readers == [2, 2, 2])
    await task.cancel()
    await store.cancelInFlightEffects()
    #expect(readers == [0, 0, 0])
  }

  @Test("requests of one line all arrive")
  func requests() async {
    let store = TestStore(initialState: [Int]()) {
      CombineReducers<[Int], Answer, _> {
        Reduce { state, action in
          if case .answer(.success(let number)) = action { state.append(number) }
          return .none
        }
        for number in 1...3 {
          EmptyReducer().receive(on: \.task, with: \.answer) { number }
        }
      }
    }
    store.exhaustivity = .off
    await store.send(.task)
    await store.finish()
    await store.skipReceivedActions()
    #expect(store.state.sorted() == [1, 2, 3])
  }

  @CasePathable
  fileprivate enum Answer: Sendable {
    case task
    case answer(Result<Int, any Error>)
  }

  @Test("a function of the program's own subscribes as often as it is used, and each use has its stop")
  func function() async {
    let store = store {
      feature
        .following(sources[0], until: \.stop)
        .following(sources[1], until: \.stopOther)
      EmptyReducer().following(sources[2], until: \.stop)
    }
    await store.send(.task)
    #expect(readers == [1, 1, 1])
    await store.send(.stopOther)
    #expect(readers == [1, 0, 1])
    await store.send(.task)
    #expect(readers == [1, 1, 1])
    await store.send(.stop)
    #expect(readers == [0, 1, 0])
    await store.send(.stopOther)
    await store.finish()
  }

  @Test("a loop's subscriptions follow the state, each its own condition, in any order")
  func conditions() async {
    let store = store {
      feature
      for (index, source) in sources.enumerated() {
        EmptyReducer().subscribe(
          to: SequenceSource(source.stream), while: { $0.open.contains(index) }, with: \.got)
      }
    }
    await store.send(.open([1]))
    #expect(readers == [0, 1, 0])
    await store.send(.open([0, 1]))
    #expect(readers == [1, 1, 0])
    await store.send(.open([0, 2]))
    #expect(readers == [1, 0, 1])
    #expect(made == [1, 1, 1], "nothing that continues starts again")
    await store.send(.open([]))
    #expect(readers == [0, 0, 0])
  }

  @Test("and one place in a loop for each argument")
  func arguments() async {
    let store = store {
      feature
      for _ in 1...2 {
        EmptyReducer().subscribe(
          to: { [sources] index in SequenceSource(sources[index].stream) }, while: { $0.open.first },
          with: \.got)
      }
    }
    await store.send(.open([2]))
    #expect(readers == [0, 0, 2])
    await store.send(.open([1]))
    #expect(readers == [0, 2, 0])
    await store.send(.open([]))
  }

  @Test("a reducer around them that prepares nothing changes nothing")
  func wrapped() async {
    let store = store {
      feature
      Wrapper(
        base: CombineReducers<State, Action, _> {
          for source in sources { EmptyReducer().subscribe(to: source.stream, on: \.task, with: \.got) }
        })
    }
    await store.send(.task)
    await store.send(.task)
    #expect(readers == [1, 1, 1])
    await store.cancelInFlightEffects()
  }

  @Test("the reducer of an onChange can subscribe in a loop")
  func onChange() async {
    let sources = sources
    let store = store {
      feature.onChange(of: \.trips) { _, _ in
        for source in sources { EmptyReducer().subscribe(to: source.stream, on: \.trip, with: \.got) }
      }
    }
    await store.send(.trip)
    await store.send(.trip)
    #expect(readers == [1, 1, 1])
    await store.cancelInFlightEffects()
  }

  @Test("other dependencies, with which the bodies are evaluated again, keep them apart")
  func evaluatedAgain() async {
    let store = store {
      feature
      for source in sources { EmptyReducer().subscribe(to: source.stream, on: \.task, with: \.got) }
    }
    await store.send(.task)
    store.dependencies.uuid = .incrementing
    await store.send(.task)
    #expect(readers == [1, 1, 1])
    #expect(made == [2, 2, 2])
    await store.cancelInFlightEffects()
  }

  @Test("the stop of a feature that contains itself does not reach the inner one")
  func inner() async {
    let store = TestStore(initialState: Nest.State(nests: [Nest.State(id: 1)])) { Nest(source: sources[0]) }
    await store.send(.task)
    await store.send(.nests(.element(id: 1, action: .task)))
    #expect(readers == [2, 0, 0])
    await store.send(.stop)
    #expect(readers == [1, 0, 0])
    await store.send(.nests(.element(id: 1, action: .stop)))
    await store.finish()
  }
}

@Reducer
private struct Nest {
  struct State: Equatable, Identifiable {
    var id = 0
    var nests: IdentifiedArrayOf<State> = []
  }

  enum Action {
    case task
    case stop
    case got(Int)
    indirect case nests(IdentifiedAction<Int, Action>)
  }

  let source: Source

  var body: some ReducerOf<Self> {
    EmptyReducer()
      .forEach(\.nests, action: \.nests) { Nest(source: source) }
      .subscribe(to: source.stream, on: \.task, with: \.got)
      .until(\.stop)
  }
}
