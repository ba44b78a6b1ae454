// Owns the smallest module HubReducers that expansions compile against; the real one is not needed here.

public protocol CasePathable {
  associatedtype AllCasePaths
  static var allCasePaths: AllCasePaths { get }
}

public struct AnyCasePath<Root, Value>: Sendable {
  public let embed: @Sendable (Value) -> Root
  public let extract: @Sendable (Root) -> Value?

  public init(
    _ name: String? = nil, embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?
  ) {
    self.embed = embed
    self.extract = extract
  }
}

@dynamicMemberLookup
public struct Case<Value> {
  let embed: (Value) -> Any
  let extract: (Any) -> Value?

  init() {
    embed = { $0 }
    extract = { $0 as? Value }
  }

  init(embed: @escaping (Value) -> Any, extract: @escaping (Any) -> Value?) {
    self.embed = embed
    self.extract = extract
  }

  public subscript<Member>(
    dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member>>
  ) -> Case<Member> where Value: CasePathable {
    let path = Value.allCasePaths[keyPath: keyPath]
    return Case<Member>(
      embed: { embed(path.embed($0)) }, extract: { extract($0).flatMap(path.extract) })
  }
}

public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

extension CasePathable {
  public typealias Cases = Case<Self>

  public subscript<Value>(
    dynamicMember keyPath: KeyPath<AllCasePaths, AnyCasePath<Self, Value>>
  ) -> Value? { Self.allCasePaths[keyPath: keyPath].extract(self) }

  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    Case<Self>()[keyPath: keyPath].extract(self)
  }

  public func `is`<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> Bool { self[case: keyPath] != nil }

  public static func make<Value>(_ keyPath: CaseKeyPath<Self, Value>, _ value: Value) -> Self? {
    Case<Self>()[keyPath: keyPath].embed(value) as? Self
  }
}

public struct Effect<Action>: Sendable {
  public static var none: Self { Self() }
}

public protocol Reducer<State, Action> {
  associatedtype State
  associatedtype Action
  associatedtype Body
  func reduce(into state: inout State, action: Action) -> Effect<Action>
  @ReducerBuilder<State, Action> var body: Body { get }
}

extension Reducer where Body == Never {
  public var body: Body { fatalError("a reducer without a body") }
}

extension Reducer where Body: Reducer<State, Action> {
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }
}

extension Never: Reducer {
  public typealias State = Never
  public typealias Action = Never
  public typealias Body = Never
}

public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

public struct Reduce<State, Action>: Reducer {
  let run: (inout State, Action) -> Effect<Action>

  public init(_ run: @escaping (inout State, Action) -> Effect<Action>) { self.run = run }
  public typealias Body = Never
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { run(&state, action) }
}

public struct _Sequence<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
  let first: First
  let second: Second

  public typealias Body = Never
  public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
    _ = first.reduce(into: &state, action: action)
    return second.reduce(into: &state, action: action)
  }
}

@resultBuilder
public enum ReducerBuilder<State, Action> {
  public static func buildExpression<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
  public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }
  public static func buildPartialBlock<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
    accumulated: First, next: Second
  ) -> _Sequence<First, Second> {
    _Sequence(first: accumulated, second: next)
  }
}

extension Reducer {
  public func when<Value>(_ keyPath: CaseKeyPath<Action, Value>) -> some Reducer<State, Action>
  where Action: CasePathable {
    Reduce<State, Action> { state, action in
      action.is(keyPath) ? self.reduce(into: &state, action: action) : .none
    }
  }
}

public struct EmptyReducer<State, Action>: Reducer {
  public init() {}
  public typealias Body = Never
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}

public struct Scope<State, Action, Child: Reducer>: Reducer {
  let run: (inout State, Action) -> Void

  public init(
    state: CaseKeyPath<State, Child.State>, action: CaseKeyPath<Action, Child.Action>, child: () -> Child
  ) {
    let (child, statePath, actionPath) = (
      child(), Case<State>()[keyPath: state], Case<Action>()[keyPath: action]
    )
    run = { state, action in
      guard let action = actionPath.extract(action), var part = statePath.extract(state) else { return }
      _ = child.reduce(into: &part, action: action)
      state = statePath.embed(part) as? State ?? state
    }
  }

  public typealias Body = Never
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    run(&state, action)
    return .none
  }
}

public struct AnyReducer<State, Action>: Reducer {
  let base: any Reducer<State, Action>
  public init(_ base: any Reducer<State, Action>) { self.base = base }
  public typealias Body = Never
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    base.reduce(into: &state, action: action)
  }
}

public struct CombineReducers<State, Action, Reducers: Reducer<State, Action>>: Reducer {
  let reducers: Reducers
  public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) { reducers = build() }
  public typealias Body = Never
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reducers.reduce(into: &state, action: action)
  }
}

public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, State.StateReducer == Self, Body: Reducer<State, Action> {
  static var body: Body { get }
  associatedtype CaseScope
  @MainActor static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
  public var body: Body { Self.body }
}

public protocol CaseReducerState<StateReducer> {
  associatedtype StateReducer: CaseReducer where StateReducer.State == Self
}

public protocol ObservableState {}

@MainActor
public final class Store<State, Action> {
  public let state: State
  public init(_ state: State) { self.state = state }
  public func withState<R>(_ body: (State) -> R) -> R { body(state) }
  public func _scope<ChildState, ChildAction>(
    _ present: ChildState, state: CaseKeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> { Store<ChildState, ChildAction>(present) }
}

public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

public struct Unimplemented: Error {
  public let endpoint: String
  public init(_ endpoint: String) { self.endpoint = endpoint }
  public static func report(_ endpoint: String) { issues.append("'\(endpoint)'") }
}

/// A dependency, as far as the macros care.
@propertyWrapper
public struct Dependency<Value: Sendable>: Sendable {
  public let wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// What was reported; the programs here use one thread.
public nonisolated(unsafe) var issues: [String] = []
