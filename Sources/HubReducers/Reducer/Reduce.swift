// Owns the reducer made of one closure.

/// A reducer made from a closure, which contains a feature's logic.
///
/// ```swift
/// Reduce { state, action in
///   switch action {
///   case .increment:
///     state.count += 1
///     return .none
///   default:
///     return .none
///   }
/// }
/// ```
public struct Reduce<State, Action>: Reducer {
  @usableFromInline let closure: (inout State, Action) -> Effect<Action>

  /// A reducer from a function of the state and the action.
  @inlinable
  public init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) { closure = reduce }

  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { closure(&state, action) }
}
