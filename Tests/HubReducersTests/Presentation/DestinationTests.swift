// Tests features that are made of the features of an enum's cases: presented, and on a stack.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Counter {
  struct State: Equatable, Identifiable {
    var id = 0
    var count = 0
  }

  enum Action: Equatable, Sendable {
    case increment
    case wait
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { [log] state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .wait:
        return .run { [id = state.id] _ in
          await never()
          log.append("end \(id)")
        }
      }
    }
  }
}

/// Nothing is said of what it does.
@Reducer private struct Empty {}

private let counterLog = Log<String>()

@Reducer
private enum Screen {
  case counter(Counter = Counter(log: counterLog))
  case empty(Empty)
  @ReducerCaseIgnored case text(String)
  case welcome
}

extension Screen.State: Equatable {}
extension Screen.Action: Equatable, Sendable {}

@Reducer
private struct Parent {
  @ObservableState
  struct State: Equatable {
    @Presents var screen: Screen.State?
    var path = StackState<Screen.State>()
    var next: Screen.State?
  }

  enum Action: Equatable, Sendable {
    case screen(PresentationAction<Screen.Action>)
    case path(StackActionOf<Screen>)
    case show(Screen.State)

    static func == (lhs: Self, rhs: Self) -> Bool { "\(lhs)" == "\(rhs)" }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .screen(.dismiss):
        if let next = state.next { state.screen = next }
      case .show(let screen): state.screen = screen
      case .screen, .path: break
      }
      return .none
    }
    .ifLet(\.$screen, action: \.screen)
    .forEach(\.path, action: \.path)
  }
}

@Suite("A feature of several features")
struct DestinationTests {
  @Test("runs the feature of the case that the state is in")
  func cases() async {
    let store = TestStore(initialState: Parent.State(screen: .counter(Counter.State()))) { Parent() }
    await store.send(\.screen.counter.increment) { $0.screen = .counter(Counter.State(count: 1)) }
    #expect(store.state.screen?.counter?.count == 1)
    #expect(store.state.screen?.text == nil)
  }

  @Test("the effects of a case end when another one replaces it")
  func replacement() async {
    let store = TestStore(initialState: Parent.State(screen: .counter(Counter.State(id: 1)))) { Parent() }
    await store.send(\.screen.counter.wait)
    await store.send(.show(.text("a"))) { $0.screen = .text("a") }
    #expect(counterLog.entries.contains("end 1"))
  }

  @Test(
    "what replaces a screen while it is dismissed stays, whether its case or its id is another",
    arguments: [0, 1])
  func dismissal(choice: Int) async {
    let next: Screen.State = choice == 0 ? .welcome : .counter(Counter.State(id: 2))
    let state = Parent.State(screen: .counter(Counter.State(id: 1)), next: next)
    let store = TestStore(initialState: state) { Parent() }
    await store.send(.screen(.dismiss)) { $0.screen = next }
  }

  @Test("a screen that nothing replaces is dismissed")
  func plainDismissal() async {
    let store = TestStore(initialState: Parent.State(screen: .welcome)) { Parent() }
    await store.send(.screen(.dismiss)) { $0.screen = nil }
  }

  @Test("is put on a stack without a closure")
  func stack() async {
    let store = TestStore(initialState: Parent.State()) { Parent() }
    await store.send(.path(.push(id: 0, state: .counter(Counter.State())))) {
      $0.path[id: 0] = .counter(Counter.State())
    }
    await store.send(\.path[id: 0].counter.increment) { $0.path[id: 0, case: \.counter]?.count = 1 }
  }

  @Test("a store shows the store of the case that its state is in")
  @MainActor
  func scope() {
    let store = Store(initialState: Screen.State.counter(Counter.State())) { Screen.body }
    guard case .counter(let counter) = store.case else {
      Issue.record("another case")
      return
    }
    counter.send(.increment)
    #expect(counter.count == 1)
    #expect(store.state.counter?.count == 1)
  }

  @Test("a feature that says nothing of what it does has a state, actions and a body")
  func filledIn() async {
    let state = Empty.State()
    _ = TestStore(initialState: state) { Empty() }
    #expect(state == Empty.State())
  }
}
