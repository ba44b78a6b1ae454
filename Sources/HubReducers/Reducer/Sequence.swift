// Owns the reducers for the lists, branches, loops, groups and erased types of a body.

/// Two reducers in sequence.
public struct _Sequence<First: Reducer, Second: Reducer<First.State, First.Action>>: CompositeReducer {
  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  @inlinable
  public func prepared() -> PreparedReducer<First.State, First.Action> {
    PreparedReducer([first.prepared(), second.prepared()])
  }
}

/// A loop's reducers, in order.
public struct _SequenceMany<Element: Reducer>: CompositeReducer {
  @usableFromInline let elements: [Element]

  @inlinable
  init(_ elements: [Element]) { self.elements = elements }

  @inlinable
  public func prepared() -> PreparedReducer<Element.State, Element.Action> {
    PreparedReducer(elements.map { $0.prepared() })
  }
}

/// One of two reducers, decided when the body is evaluated.
public enum _Conditional<First: Reducer, Second: Reducer<First.State, First.Action>>: CompositeReducer {
  case first(First)
  case second(Second)

  @inlinable
  public func prepared() -> PreparedReducer<First.State, First.Action> {
    switch self {
    case .first(let first): first.prepared()
    case .second(let second): second.prepared()
    }
  }
}

/// Leaves the state alone and has no effects.
public struct EmptyReducer<State, Action>: Reducer {
  /// A reducer that does nothing.
  @inlinable
  public init() {}

  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }

  public func prepared() -> PreparedReducer<State, Action> { PreparedReducer([]) }
}

extension Optional: Reducer where Wrapped: Reducer {
  /// Does nothing if there is no reducer.
  @inlinable
  public func reduce(into state: inout Wrapped.State, action: Wrapped.Action) -> Effect<Wrapped.Action> {
    self?.reduce(into: &state, action: action) ?? .none
  }

  @inlinable
  public func supervise(_ state: Wrapped.State) -> Effect<Wrapped.Action> { self?.supervise(state) ?? .none }

  @inlinable
  public static var supervision: Supervision { Wrapped.supervision }

  public func prepared() -> PreparedReducer<Wrapped.State, Wrapped.Action> {
    self?.prepared() ?? PreparedReducer([])
  }
}

/// A type-erased reducer. It costs one indirect call per action.
public struct AnyReducer<State, Action>: Reducer {
  @usableFromInline let base: any Reducer<State, Action>

  /// Erases the reducer's type.
  @inlinable
  public init(_ base: any Reducer<State, Action>) { self.base = base }

  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    base.reduce(into: &state, action: action)
  }

  @inlinable
  public func supervise(_ state: State) -> Effect<Action> { base.supervise(state) }

  /// The erased type may have either, so the engine must check.
  @inlinable
  public static var supervision: Supervision { [.subscriptions, .scopes] }

  public func prepared() -> PreparedReducer<State, Action> { base.prepared() }
}

/// Several reducers as one: `CombineReducers { A(); B() }.onChange(of: ...)` sees the changes of both.
public struct CombineReducers<State, Action, Reducers: Reducer<State, Action>>: Reducer {
  @usableFromInline let reducers: Reducers

  /// The reducers of the closure, in order.
  @inlinable
  public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) { reducers = build() }

  @inlinable
  public var body: Reducers { return reducers }
}
