// Owns recursive features: the inner one is evaluated when the first action reaches it.

/// A feature inside its own body. Its body is evaluated with the first action that reaches it, because evaluating it
/// with the outer one would not terminate.
public struct _DeferredReducer<Base: Reducer>: Reducer {
  private final class Evaluation {
    var reducer: PreparedReducer<Base.State, Base.Action>?
  }

  private let base: Base
  private let evaluation = Evaluation()

  @usableFromInline
  init(_ base: Base) { self.base = base }

  private var evaluated: PreparedReducer<Base.State, Base.Action> {
    if let reducer = evaluation.reducer { return reducer }
    let reducer = base.prepared()
    evaluation.reducer = reducer
    return reducer
  }

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    evaluated.reduce(into: &state, action: action)
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> { evaluated.supervise(state) }

  /// What it contains is not known yet.
  public static var supervision: Supervision { [.subscriptions, .scopes] }
}

/// The features whose bodies are being evaluated, the outermost first.
@usableFromInline
enum Bodies {
  @TaskLocal private static var underway: [ObjectIdentifier] = []

  /// Evaluates the body of a feature, unless that is in progress: then returns `deferred`.
  @usableFromInline
  static func evaluate<R: Reducer, Result>(_ type: R.Type, deferred: () -> Result, body: () -> Result)
    -> Result
  {
    let id = ObjectIdentifier(type)
    if underway.contains(id) { return deferred() }
    return $underway.withValue(underway + [id], operation: body)
  }
}
