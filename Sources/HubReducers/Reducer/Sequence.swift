// Owns the reducers for a body's lists, branches and loops.

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
