// The features that HubReducers' catalogue shows. Their tests are beside them.

import HubReducers
import HubReducersSamples

/// The counter of "Getting started".
@Reducer
struct Counter {
  struct State: Equatable, Sendable {
    var number = 0
  }

  enum Action: Equatable {
    case task
    case numberChanged(Int)
    case incrementTapped
  }

  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    let counter = hub.value("counter", of: Int.self)
    Reduce { state, action in
      switch action {
      case .task:
        return .none
      case .numberChanged(let number):
        state.number = number
        return .none
      case .incrementTapped:
        return .run { _ in try await counter.update(default: 0) { $0 += 1 } }
      }
    }
    .subscribe(to: counter, on: \.task, with: \.numberChanged)
  }
}

/// The same with `@Shared`.
@Reducer
struct SharedCounter {
  struct State: Equatable {
    @Shared(.hub("counter")) var number = 0
  }

  enum Action { case incrementTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementTapped:
        state.$number.withLock { $0 += 1 }
        return .none
      }
    }
  }
}

/// A feature that shows what its subscription does.
@Reducer
struct Monitor {
  struct State: Equatable, Sendable {
    var number: Int?
    var isWatching = true
    var log: [String] = []
  }

  enum Action: Equatable {
    case task
    case stop
    case toggled
    case numberChanged(Int)
    case subscription(SubscriptionEvent)
  }

  @Dependency(\.numberStore) var numberStore

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .numberChanged(let number): state.number = number
      case .toggled: state.isWatching.toggle()
      case .subscription(.failed(let error)): state.log.append("failed: \(error)")
      case .subscription(let event): state.log.append("\(event)")
      case .task, .stop: break
      }
      return .none
    }
    .subscribe(to: numberStore.value, on: \.task, with: \.numberChanged)
    .until(\.stop)
    .onRetrigger(.ignore)
    .lifecycle(\.subscription)
  }
}

/// A subscription that follows from the state.
@Reducer
struct Tracker {
  struct State: Equatable {
    var isTracking = false
    var number = 0
  }

  enum Action: Equatable {
    case toggled
    case moved(Int)
  }

  @Dependency(\.numberStore) var numberStore

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .toggled: state.isTracking.toggle()
      case .moved(let number): state.number = number
      }
      return .none
    }
    .subscribe(to: SequenceSource(numberStore.value), while: \.isTracking, with: \.moved)
  }
}

/// Subscriptions with an argument, with a transformation, and with an operation.
@Reducer
struct Rooms {
  struct State: Equatable {
    var roomID = 1
    var count = 0
    var title = ""
    var isUntitled = false
  }

  enum Action: Equatable {
    case task
    case countChanged(Int)
    case titleChanged(String)
    case titleMissing
  }

  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    let title = hub.value("title", of: String.self)
    Reduce { state, action in
      switch action {
      case .task: break
      case .countChanged(let count): state.count = count
      case .titleChanged(let title): state.title = title
      case .titleMissing: state.isUntitled = true
      }
      return .none
    }
    .subscribe(
      to: { hub.value("room.\($0)", of: Int.self) }, using: \.roomID, on: \.task, with: \.countChanged
    )
    .subscribe(to: title.map { $0.uppercased() }, on: \.task, with: \.titleChanged)
    .subscribe(to: title, on: \.task) { send, title in
      if title.isEmpty { await send(.titleMissing) }
    }
  }
}

/// A sensor that must not fall silent.
@Reducer
struct Tank {
  struct State: Equatable {
    var pressure: Double?
    var isSilent = false
  }

  enum Action: Equatable {
    case task
    case measured(Double, isSilent: Bool)
  }

  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    let pressure = hub.value("tank.pressure", of: Double.self)
    Reduce { state, action in
      if case .measured(let pressure, let isSilent) = action {
        state = State(pressure: pressure, isSilent: isSilent)
      }
      return .none
    }
    .subscribe(to: { pressure.events(deadline: .seconds(5)) }, on: \.task) { send, event in
      guard let value = event.value else { return }
      await send(.measured(value, isSilent: event.isOverdue))
    }
  }
}

/// A child whose effects must outlast the view that shows it.
@Reducer
struct Editor {
  struct State: Equatable { var saves = 0 }

  enum Action: Equatable {
    case task
    case textChanged(String)
    case saved
  }

  var texts: @Sendable () async -> AsyncStream<String>
  var save: @Sendable (String) async -> Void

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task: return .none
      case .textChanged(let text):
        return .run { send in
          await save(text)
          await send(.saved)
        }
      case .saved:
        state.saves += 1
        return .none
      }
    }
    .subscribe(to: texts, on: \.task, with: \.textChanged).responses(.detached)
  }
}

/// A dependency of one's own on a store of the hub.
@DependencyClient
struct ThemeClient: Sendable {
  var names: @Sendable () async -> AsyncStream<String>
  var choose: @Sendable (_ name: String) async throws -> Void
}

extension ThemeClient: DependencyKey {
  static var liveValue: Self {
    @Dependency(\.hub) var hub
    let theme = hub.value("ui.theme", of: String.self)
    return Self(
      names: { theme.stream(or: "plain") },
      choose: { try await theme.set($0) })
  }
}

extension DependencyValues {
  var themeClient: ThemeClient {
    get { self[ThemeClient.self] }
    set { self[ThemeClient.self] = newValue }
  }
}

/// Effects with ids.
@Reducer
struct Search {
  struct State: Equatable { var results: [String] = [] }

  enum Action: Equatable {
    case queryChanged(String)
    case cancelTapped
    case found([String])
  }

  private enum CancelID { case search }
  var find: @Sendable (String) async throws -> [String]

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .queryChanged(let query):
        return .run { send in
          await send(.found(try await find(query)))
        }
        .cancellable(id: CancelID.search, cancelInFlight: true)
      case .cancelTapped:
        return .cancel(id: CancelID.search)
      case .found(let results):
        state.results = results
        return .none
      }
    }
  }
}
