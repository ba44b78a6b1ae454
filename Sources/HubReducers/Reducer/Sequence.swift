// Owns the reducers for a body's lists, branches and loops.

/// Two reducers in sequence.
public struct _Sequence<First: Reducer, Second: Reducer<First.State, First.Action>>: Reducer {
  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  @inlinable
  public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
    let effect = first.reduce(into: &state, action: action)
    return effect.merge(with: second.reduce(into: &state, action: action))
  }

  @inlinable
  public func supervise(_ state: First.State) -> Effect<First.Action> {
    first.supervise(state).merge(with: second.supervise(state))
  }

  @inlinable
  public static var supervision: Supervision { First.supervision.union(Second.supervision) }

  @inlinable
  public func prepared() -> PreparedReducer<First.State, First.Action> {
    PreparedReducer([first.prepared(), second.prepared()])
  }
}

/// A loop's reducers, in order.
public struct _SequenceMany<Element: Reducer>: Reducer {
  @usableFromInline let elements: [Element]

  @inlinable
  init(_ elements: [Element]) { self.elements = elements }

  @inlinable
  public func reduce(into state: inout Element.State, action: Element.Action) -> Effect<Element.Action> {
    elements.reduce(.none) { $0.merge(with: $1.reduce(into: &state, action: action)) }
  }

  @inlinable
  public func supervise(_ state: Element.State) -> Effect<Element.Action> {
    elements.reduce(.none) { $0.merge(with: $1.supervise(state)) }
  }

  @inlinable
  public static var supervision: Supervision { Element.supervision }

  @inlinable
  public func prepared() -> PreparedReducer<Element.State, Element.Action> {
    PreparedReducer(elements.map { $0.prepared() })
  }
}

/// One of two reducers, decided when the body is evaluated.
public enum _Conditional<First: Reducer, Second: Reducer<First.State, First.Action>>: Reducer {
  case first(First)
  case second(Second)

  @inlinable
  public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
    switch self {
    case .first(let first): first.reduce(into: &state, action: action)
    case .second(let second): second.reduce(into: &state, action: action)
    }
  }

  @inlinable
  public func supervise(_ state: First.State) -> Effect<First.Action> {
    switch self {
    case .first(let first): first.supervise(state)
    case .second(let second): second.supervise(state)
    }
  }

  @inlinable
  public static var supervision: Supervision { First.supervision.union(Second.supervision) }

  @inlinable
  public func prepared() -> PreparedReducer<First.State, First.Action> {
    switch self {
    case .first(let first): first.prepared()
    case .second(let second): second.prepared()
    }
  }
}
