// Owns the form in which a store runs its reducer: a flat list of steps, all bodies evaluated.
// Evaluating a body makes new case paths and closures; done once, an action costs only what its reducers do.

/// A reducer whose body, and the bodies of everything in it, were evaluated once.
public struct PreparedReducer<State, Action>: Reducer {
  /// One reducer that is made of no others, or an operator around prepared ones.
  @usableFromInline
  struct Step {
    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>
    /// `nil`: nothing in it is state-driven.
    @usableFromInline let supervise: ((State) -> Effect<Action>)?

    @usableFromInline
    init(
      reduce: @escaping (inout State, Action) -> Effect<Action>, supervise: ((State) -> Effect<Action>)?
    ) {
      self.reduce = reduce
      self.supervise = supervise
    }
  }

  @usableFromInline let steps: [Step]
  /// What ``supervise(_:)`` can return: unlike the static property it knows what was erased.
  public let supervision: Supervision

  /// A single step: what an operator makes of itself, around what it prepared of the reducers that it holds.
  ///
  /// Inlined where the reducer's type is known, so that the step is compiled for it.
  /// - Parameters:
  ///   - reducer: The reducer.
  ///   - supervision: What its ``Reducer/supervise(_:)`` can return.
  @inlinable
  public init<R: Reducer<State, Action>>(_ reducer: R, _ supervision: Supervision) {
    steps = [
      Step(
        reduce: { reducer.reduce(into: &$0, action: $1) },
        supervise: supervision.isEmpty ? nil : { reducer.supervise($0) })
    ]
    self.supervision = supervision
  }

  /// The steps of all, in order.
  public init(_ parts: [PreparedReducer]) {
    steps = parts.flatMap(\.steps)
    supervision = parts.reduce([]) { $0.union($1.supervision) }
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    var effect = Effect<Action>.none
    for step in steps {
      let next = step.reduce(&state, action)
      if !next.isNone { effect = effect.merge(with: next) }
    }
    return effect
  }

  public func supervise(_ state: State) -> Effect<Action> {
    var effect = Effect<Action>.none
    for step in steps {
      if let next = step.supervise?(state) { effect = effect.merge(with: next) }
    }
    return effect
  }

  public func prepared() -> PreparedReducer { self }

  public static var supervision: Supervision { [.subscriptions, .scopes] }
}
