// Owns `onFailure`: reactions to errors in actions.

extension Reducer {
  /// Reacts to an action that carries an error, after this reducer has handled it.
  public func onFailure(
    case failure: CaseKeyPath<Action, any Error>, _ reaction: OnFailureAction<State, Action>
  ) -> _OnFailureReducer<Self> {
    let path = AnyCasePath(failure)
    return _OnFailureReducer(base: self, error: path.extract(from:), reaction: reaction)
  }

  /// Reacts to an action that carries a result, if it is a failure, after this reducer has handled it.
  public func onFailure<Value>(
    case result: CaseKeyPath<Action, Result<Value, any Error>>, _ reaction: OnFailureAction<State, Action>
  ) -> _OnFailureReducer<Self> {
    let path = AnyCasePath(result)
    return _OnFailureReducer(
      base: self,
      error: {
        guard case .failure(let error) = path.extract(from: $0) else { return nil }
        return error
      }, reaction: reaction)
  }
}

/// A reaction to an error.
public struct OnFailureAction<State, Action> {
  let react: (inout State, any Error) -> Effect<Action>

  /// Makes a reaction from a function that may change the state and return effects.
  public init(_ react: @escaping (inout State, any Error) -> Effect<Action>) { self.react = react }

  /// Stores the error in the state.
  public static func set(_ keyPath: WritableKeyPath<State, (any Error)?>) -> Self {
    Self { state, error in
      state[keyPath: keyPath] = error
      return .none
    }
  }

  /// Writes the error to a log.
  public static func log(prefix: String = "", _ log: @escaping @Sendable (String) -> Void) -> Self {
    Self { _, error in .perform { log("\(prefix)\(error)") } }
  }

  /// Reports the error as an issue: it fails a test.
  public static func fail(
    prefix: String = "", fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> Self {
    let site = IssueSite(fileID, filePath, line, column)
    return Self { _, error in .perform { site.report("\(prefix)\(error)") } }
  }
}

/// The reducer behind `onFailure`.
public struct _OnFailureReducer<Base: Reducer>: CompositeReducer {
  let base: Base
  let error: (Base.Action) -> (any Error)?
  let reaction: OnFailureAction<Base.State, Base.Action>

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    base.prepared().wrapped { [error, reaction] base, state, action in
      let effect = base.reduce(into: &state, action: action)
      guard let error = error(action) else { return effect }
      return effect.merge(with: reaction.react(&state, error))
    }
  }
}
