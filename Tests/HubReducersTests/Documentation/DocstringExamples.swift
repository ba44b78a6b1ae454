// The examples of the docstrings, compiled. `DocumentationTests` finds them here word for word, white space aside.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

private enum Macros {
  @CasePathable
  enum Action {
    case task
    case numberChanged(Int)
  }

  @Reducer
  struct Counter {
    struct State: Equatable { var count = 0 }
    enum Action { case increment }
    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  @DependencyClient
  struct NumberStore: Sendable {
    var value: @Sendable () async -> AsyncStream<Int>
    var updateValue: @Sendable (_ to: Int) async throws -> Void
    var limit: @Sendable () -> Int = { 0 }
  }

  static func uses(_ action: Action) async throws {
    if action.is(\.task) { print("it began") }
    if let number = action[case: \.numberChanged] { print(number) }
    let store = NumberStore(value: { AsyncStream { $0.yield(1) } })
    try await store.updateValue(to: 2)  // reports: NumberStore.updateValue is unimplemented
  }
}

enum Player {
  enum Action {
    case task
  }
}

extension Player.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var task: AnyCasePath<Action, Void> {
      AnyCasePath(embed: { .task }, extract: { if case .task = $0 { () } else { nil } })
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Player.Action {
  typealias Action = Player.Action
}

/// The shape of the library's own, as a reader of the examples writes it.
@DependencyClient
private struct NumberStore: Sendable {
  var value: @Sendable () async -> AsyncStream<Int>
  var updateValue: @Sendable (Int) async -> Void

  static func inMemory(_ number: Int) -> NumberStore {
    let number = CurrentValue(number)
    return NumberStore(value: { number.values }, updateValue: { number.set($0) })
  }
}

extension NumberStore: DependencyKey {
  static var liveValue: NumberStore { .inMemory(0) }
}

extension NumberStore {
  static var testValue: NumberStore { .inMemory(0) }
}

// swift-format-ignore: the example says no access, and the library has a property of that name.
fileprivate extension DependencyValues {
  var numberStore: NumberStore {
    get { self[NumberStore.self] }
    set { self[NumberStore.self] = newValue }
  }
}

@DependencyClient
private struct Chat: Sendable {
  var messages: @Sendable (_ room: Int) async -> AsyncStream<String>
}

@DependencyClient
private struct Location: Sendable {
  var updates: @Sendable () async -> AsyncStream<Int>
}

@DependencyClient
private struct API: Sendable {
  var profile: @Sendable () async throws -> String
}

@Reducer
private struct Settings {
  struct State: Equatable {
    var volume = 1.0
  }

  enum Action: Equatable, Sendable {
    case reset
  }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.volume = 1
      return .none
    }
  }
}

@Reducer
private struct App {
  struct State: Equatable {
    var settings = Settings.State()
    var number = 0
    var roomID = 1
    var openRoomID: Int?
    var isTracking = false
    var isOpen = false
  }

  enum Action {
    case task
    case settings(Settings.Action)
    case view(View)
    case delegate(Delegate)
    case buttonTapped
    case newNumberReceived(Int)
    case messageReceived(String)
    case moved(Int)
    case volumeChanged(Double)
    case countChanged(Int)
    case profileLoaded(Result<String, any Error>)

    @CasePathable
    enum View: Equatable, Sendable {
      case closeButtonTapped
    }

    @CasePathable
    enum Delegate: Equatable, Sendable {
      case dismissFeature
    }
  }

  @Dependency(\.hub) var hub
  @Dependency(\.numberStore) var numberStore
  let chat = Chat()
  let location = Location()
  let api = API()

  var body: some ReducerOf<Self> {
    Scope(state: \.settings, action: \.settings) { Settings() }
    AnalyticsReducer { state, action in
      switch action {
      case .buttonTapped: .event(name: "ButtonTapped")
      default: nil
      }
    }
    NestedAction(\.view) { state, action in
      switch action {
      case .closeButtonTapped: .send(.delegate(.dismissFeature))
      }
    }
    Reduce { state, action in
      if case .newNumberReceived(let number) = action { state.number = number }
      return .none
    }
    .subscribe(to: numberStore.value, on: \.task, with: \.newNumberReceived)
    .subscribe(to: chat.messages, using: \.roomID, on: \.task, with: \.messageReceived)
    .subscribe(
      to: { hub.value("room.\($0)", of: Int.self) }, using: \.roomID, on: \.task, with: \.countChanged)
    Reduce { state, action in
      .none
    }
    .subscribe(to: hub.value("number", of: Int.self), on: \.task, with: \.newNumberReceived)
    Conditional(chat: chat, location: location, hub: hub)
      .receive(on: \.task, with: \.profileLoaded) { try await api.profile() }
  }
}

@Reducer
private struct Conditional {
  typealias State = App.State
  typealias Action = App.Action

  let chat: Chat
  let location: Location
  let hub: Hub

  var body: some ReducerOf<Self> {
    let counter = hub.value("counter", of: Int.self)
    EmptyReducer()
      .subscribe(to: hub.value("audio.volume", of: Double.self), while: \.isOpen, with: \.volumeChanged)
      .subscribe(to: SequenceSource(location.updates), while: \.isTracking, with: \.moved)
      .subscribe(
        to: { hub.value("room.\($0)", of: Int.self) }, while: \.openRoomID, with: \.countChanged
      )
      .subscribe(to: counter.with(.every()), on: \.task, with: \.newNumberReceived)
  }
}

enum ReceiveExample {
  struct Profile: Sendable {}
  struct Settings: Sendable {}

  @CasePathable
  enum Action: ReceiveAction {
    case task
    case receive(Result<Loaded, any Error>)

    @CasePathable
    enum Loaded {
      case profile(Profile)
      case settings(Settings)
    }
  }
}

@Reducer
private struct Counter {
  struct State: Equatable {
    var count = 0
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case task
    case increment
    case start
    case tick
    case saved
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      default:
        return .none
      }
    }
    Reduce { _, action in
      switch action {
      case .increment: .send(.saved)
      case .start:
        .run { send in
          try await clock.sleep(for: .seconds(1))
          await send(.tick)
        }
      case .task, .tick, .saved: .none
      }
    }
  }
}

extension AnalyticsClient {
  static let metrics = AnalyticsClient { _ in }
}

private let counterReducer: @Sendable (inout Int, Macros.Counter.Action) -> Void = { value, _ in value += 1 }

@Suite struct DocstringExamples {
  @Test("a store, and stores with other dependencies, are made as the examples say")
  @MainActor func stores() async {
    do {
      let store = Store(initialState: Counter.State()) { Counter() }
      await store.send(.task).finish()
    }
    do {
      let store = await StoreActor(initialState: Counter.State()) { Counter() }
      await store.send(.task).finish()
    }
    do {
      let store = Store(initialState: App.State()) {
        App()
      } withDependencies: {
        $0.analyticsClient = .merge(.consoleLogger, .metrics)
      }
      #expect(store.state == App.State())
    }
    do {
      let store = Store(initialValue: 0, reducer: counterReducer)
      store.send(.increment)
      #expect(store.state == 1)
    }
  }

  @Test("a test store is used as the examples say")
  func testStores() async {
    do {
      let store = TestStore(initialState: Counter.State()) { Counter() }
      await store.send(.increment) { $0.count = 1 }
      await store.receive(\.saved)
    }
    do {
      let clock = TestClock()
      let store = TestStore(initialState: Counter.State()) {
        Counter()
      } withDependencies: {
        $0.continuousClock = clock
      }
      await store.send(.start)
      await clock.advance(by: .seconds(1))
      await store.receive(\.tick)
    }
    do {
      let store = TestStore(initialState: 0) {
        AnalyticsReducer<Int, Int> { _, _ in .event(name: "ButtonTapped") }
      } withDependencies: {
        $0.analyticsClient.expect(.event(name: "ButtonTapped"))
      }
      await store.send(1)
    }
  }

  @Test("a shared value is used as the example says", .dependencies())
  func shared() async throws {
    struct State: Equatable {
      @Shared(.hub("number")) var number = 0
    }
    let state = State()
    // In a reducer: shown immediately, and written through the hub.
    state.number = 5
    #expect(state.number == 5)
    // Concurrent writes by others are not lost.
    state.$number.withLock { $0 += 1 }
    // Why the last write was refused; the value has returned to the hub's.
    if let error = state.$number.saveError { print(error) }
    try await state.$number.save()
    #expect(state.number == 6)
  }

  @Test("an endpoint of your own stands on a store")
  func endpoint() async {
    let number = Hub.inMemory().value("number", of: Int.self)
    let numberStore =
      NumberStore(value: { number.stream(or: 0) }, updateValue: { _ = try? await number.set($0) })
    await numberStore.updateValue(3)
    for await value in await numberStore.value() {
      #expect(value == 3)
      break
    }
  }

  @Test("plain reducers combine")
  func pure() {
    struct State {
      var count = 0
      var settings = 0
    }
    let first = PureReducer<Lifted, State>.reduce { _, state in state.count += 1 }
    let (second, third) = (first, PureReducer<Int, Int>.reduce { $1 += $0 })
    let app = first <> second <> third.lift(action: \.settings, state: \.settings)
    var state = State()
    app.reduce(.settings(3), &state)
    #expect(state.count == 2 && state.settings == 3)
  }
}

@CasePathable
private enum Lifted {
  case settings(Int)
}
