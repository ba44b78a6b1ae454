// Owns the reducer without effects as a value that combines: a monoid.

public import HubReducers

/// A reducer without effects: an action changes a state, and that is all.
///
/// ```swift
/// let app = first <> second <> third.lift(action: \.settings, state: \.settings)
/// ```
/// Combining runs the left one first, on the same state. It is associative and not commutative, and
/// ``identity`` changes nothing. A `PureReducer` is a ``Reducer``, so a body can contain it. Idea: SwiftRex.
public struct PureReducer<ActionType, StateType>: Monoid, Reducer, Sendable {
  private let change: @Sendable (ActionType, inout StateType) -> Void

  private init(change: @escaping @Sendable (ActionType, inout StateType) -> Void) { self.change = change }

  /// The reducer that runs a function.
  public static func reduce(_ reduce: @escaping @Sendable (ActionType, inout StateType) -> Void) -> Self {
    Self(change: reduce)
  }

  /// Ignores every action.
  public static var identity: Self { Self { _, _ in } }

  /// Runs the left reducer, then the right one.
  public static func <> (lhs: Self, rhs: Self) -> Self {
    Self { action, state in
      lhs.change(action, &state)
      rhs.change(action, &state)
    }
  }

  /// Changes the state for an action.
  public func reduce(_ action: ActionType, _ state: inout StateType) { change(action, &state) }

  public func reduce(into state: inout StateType, action: ActionType) -> Effect<ActionType> {
    change(action, &state)
    return .none
  }
}
