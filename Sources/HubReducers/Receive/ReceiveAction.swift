// Owns the convention of one case for all results, and the reducer for successes.

/// Actions that deliver every result through one case.
///
/// ```swift
/// enum Action: ReceiveAction {
///   case task
///   case receive(Result<Loaded, any Error>)
///
///   @CasePathable
///   enum Loaded {
///     case profile(Profile)
///     case settings(Settings)
///   }
/// }
/// ```
public protocol ReceiveAction<Received>: CasePathable, SendableMetatype {
  /// The successful results.
  associatedtype Received: CasePathable, SendableMetatype

  /// The case that carries a result.
  static func receive(_ result: Result<Received, any Error>) -> Self
}

/// Handles the results that succeeded, and ignores the others.
///
/// `receive` names the case, because a protocol cannot: `ReceiveReducer(\.receive) { state, loaded in ... }`.
public struct ReceiveReducer<State, Action: ReceiveAction>: Reducer {
  private let path: AnyCasePath<Action, Result<Action.Received, any Error>>
  private let onSuccess: (inout State, Action.Received) -> Effect<Action>

  /// Handles the successes in a case of the action.
  public init(
    _ receive: CaseKeyPath<Action, Result<Action.Received, any Error>>,
    onSuccess: @escaping (inout State, Action.Received) -> Effect<Action>
  ) {
    path = AnyCasePath(receive)
    self.onSuccess = onSuccess
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    guard case .success(let received) = path.extract(from: action) else { return .none }
    return onSuccess(&state, received)
  }
}
