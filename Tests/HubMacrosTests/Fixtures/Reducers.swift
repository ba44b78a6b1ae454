// Owns reducers that get their conformance, builder and case paths from @Reducer.

public import HubReducers

@Reducer
struct Counter {
  struct State: Equatable { var count = 0 }
  enum Action {
    case increment, add(Int)
    case child(Child)
    @CasePathable enum Child { case reset }
  }
  let step: Int

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .add(let number) = action { state.count += number * step }
      return .none
    }
    Reduce { state, _ in
      state.count = 0
      return .none
    }
    .when(\.child.reset)
  }
}

@Reducer
public struct Generic<Value: Sendable>: Sendable {
  public typealias State = [Value]
  public enum Action { case append(Value) }
  public init() {}
  public var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .append(let value): state.append(value)
      }
      return .none
    }
  }
}

@Reducer
struct Imperative {
  typealias Body = Never
  enum State: Equatable { case off, on(Int) }
  @CasePathable enum Action { case toggle }
  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    state = state.is(\.on) ? .off : .on(1)
    return .none
  }
}

@Reducer
final class Explicit: Reducer {
  struct State { var value = 0 }
  enum Action: CasePathable {
    case a
    struct AllCasePaths {}
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }
  var body: some Reducer<State, Action> {
    return Reduce<State, Action> { state, _ in
      state.value += 1
      return .none
    }
  }
}

enum Namespace {
  @Reducer
  struct Nested {
    struct State {}
    #if DEBUG || !DEBUG
      enum Action { case go(to: Int) }
    #endif
    @ReducerBuilder<State, Action> var body: some ReducerOf<Self> { Reduce { _, _ in .none } }
  }
}

/// A feature that says nothing of what it does.
@Reducer struct Nothing {}
@Reducer public final class PublicNothing { public init() {} }
@Reducer struct OnlyState { struct State: Equatable { var x = 1 } }

@Reducer
public enum Screen {
  case counter(Counter2), nothing(PublicNothing = PublicNothing())
  #if DEBUG || !DEBUG
    case other(Generic<Int>)
  #else
    case missing(Absent)
  #endif
  @ReducerCaseIgnored case text(String, size: Int)
  case welcome
}

@Reducer enum NoScreen {}
@Reducer indirect enum Recursive { case again(Recursive), end }
extension Recursive { init() { self = .end } }

extension Screen.State: Equatable {}

@Reducer
public struct Counter2 {
  @ObservableState
  public struct State: Equatable { var count = 0 }
  public enum Action { case increment }
  public init() {}
  public var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

func checkEnumReducers() async {
  var state = Screen.State.counter(Counter2.State())
  _ = Screen.body.reduce(into: &state, action: .counter(.increment))
  check(state == .counter(Counter2.State(count: 1)), state.counter?.count == 1, state.welcome == nil)
  check(Nothing.State() == Nothing.State(), OnlyState.State().x == 1)
  await MainActor.run {
    if case .text("a", size: 2) = Screen.scope(Store(.text("a", size: 2))) {} else { check(false) }
  }
  func observable(_: some ObservableState) {}
  observable(Counter2.State())
}

func checkReducers() {
  var state = Counter.State()
  _ = Counter(step: 2).reduce(into: &state, action: .add(3))
  check(state.count == 6)
  _ = Counter(step: 2).reduce(into: &state, action: .child(.reset))
  check(state.count == 0, Counter.Action.child(.reset).is(\.child.reset))
  var values: [String] = []
  _ = Generic<String>().reduce(into: &values, action: .append("a"))
  check(values == ["a"], Generic<String>.Action.append("b")[case: \.append] == "b")
  var light = Imperative.State.off
  _ = Imperative().reduce(into: &light, action: .toggle)
  check(light[case: \.on] == 1)
  var explicit = Explicit.State()
  _ = Explicit().reduce(into: &explicit, action: .a)
  check(explicit.value == 1, Namespace.Nested.Action.go(to: 1)[case: \.go] == 1)
}

/// A public feature whose effects capture it, which only a Sendable one allows.
@Reducer
public struct Visible {
  public struct State { public init() {} }
  public enum Action { case run }
  @Dependency var name = "visible"
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { _, _ in
      Self.perform { self.name }
      return .none
    }
  }

  private static func perform(_ work: @escaping @Sendable () -> String) { _ = work }
}

/// The same, by its own word, and one in an extension.
@Reducer
public struct OutSpoken: Sendable {
  public struct State {}
  public enum Action { case none }
  let name: String
  public var body: some ReducerOf<Self> { Reduce { _, _ in .none } }
}

public enum Outside {}

extension Outside {
  @Reducer
  public struct Inside {
    public struct State {}
    public enum Action { case none }
    @Dependency var name = "inside"
    public var body: some ReducerOf<Self> { Reduce { _, _ in .none } }
    func use() { requireSendable(self) }
  }
}

private func requireSendable(_: some Sendable) {}
