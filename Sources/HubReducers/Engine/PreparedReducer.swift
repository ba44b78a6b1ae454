// Owns the form in which a store runs its reducer: a flat chain of steps, all bodies evaluated. Evaluating a body makes
// new case paths and closures; done once, it leaves only the work of the reducers.

/// A reducer whose body, and the bodies of everything in it, were evaluated once.
public struct PreparedReducer<State, Action>: Reducer {
  /// One reducer that is made of no others, or an operator around prepared ones.
  ///
  /// A link of a chain and not an array's element: iterating over an array of a type unknown at compile time costs more
  /// than most reducers.
  @usableFromInline
  final class Step {
    let reduce: (inout State, Action) -> Effect<Action>
    /// `nil`: nothing in it is state-driven.
    let supervise: ((State) -> Effect<Action>)?
    let next: Step?

    @usableFromInline
    init(
      reduce: @escaping (inout State, Action) -> Effect<Action>, supervise: ((State) -> Effect<Action>)?,
      next: Step? = nil
    ) {
      self.reduce = reduce
      self.supervise = supervise
      self.next = next
    }
  }

  @usableFromInline let first: Step?
  /// What ``supervise(_:)`` can return; unlike the static property, it takes erased types into account.
  public let supervision: Supervision

  /// Makes a single step: an operator around its prepared reducers.
  ///
  /// It is inlined where the reducer's type is known, so the step is compiled for that type.
  /// - Parameters:
  ///   - reducer: The reducer.
  ///   - supervision: What its ``Reducer/supervise(_:)`` can return.
  @inlinable
  public init<R: Reducer<State, Action>>(_ reducer: R, _ supervision: Supervision) {
    first = Step(
      reduce: { reducer.reduce(into: &$0, action: $1) },
      supervise: supervision.isEmpty ? nil : { reducer.supervise($0) })
    self.supervision = supervision
  }

  /// Makes a single step of its two functions.
  @usableFromInline
  package init(
    _ supervision: Supervision, reduce: @escaping (inout State, Action) -> Effect<Action>,
    supervise: @escaping (State) -> Effect<Action>
  ) {
    first = Step(reduce: reduce, supervise: supervision.isEmpty ? nil : supervise)
    self.supervision = supervision
  }

  /// Joins the steps of all parts, in order.
  public init(_ parts: [PreparedReducer]) {
    var first: Step?
    for step in parts.flatMap(\.steps).reversed() {
      first = Step(reduce: step.reduce, supervise: step.supervise, next: first)
    }
    self.first = first
    supervision = parts.reduce([]) { $0.union($1.supervision) }
  }

  private var steps: [Step] { first.map { Array(sequence(first: $0, next: \.next)) } ?? [] }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    var effect = Effect<Action>.none
    var step = first
    while let present = step {
      let next = present.reduce(&state, action)
      if !next.isNone { effect = effect.merge(with: next) }
      step = present.next
    }
    return effect
  }

  public func supervise(_ state: State) -> Effect<Action> {
    var effect = Effect<Action>.none
    var step = first
    while let present = step {
      if let next = present.supervise?(state) { effect = effect.merge(with: next) }
      step = present.next
    }
    return effect
  }

  public func prepared() -> PreparedReducer { self }

  public static var supervision: Supervision { [.subscriptions, .scopes] }
}

extension PreparedReducer {
  /// A reducer that reduces in another way, by this one, with the same state-driven parts.
  package func wrapped(
    _ reduce: @escaping (_ base: PreparedReducer, inout State, Action) -> Effect<Action>
  ) -> PreparedReducer {
    PreparedReducer(supervision, reduce: { reduce(self, &$0, $1) }, supervise: supervise)
  }

  /// A feature inside its own body. Its body is evaluated with the first action that reaches it, because evaluating it
  /// with the outer one would not terminate. What it contains is not known before.
  @usableFromInline
  static func deferred(_ reducer: some Reducer<State, Action>) -> PreparedReducer {
    var known: PreparedReducer?
    func evaluated() -> PreparedReducer {
      let evaluated = known ?? reducer.prepared()
      known = evaluated
      return evaluated
    }
    return PreparedReducer([.subscriptions, .scopes]) {
      evaluated().reduce(into: &$0, action: $1)
    } supervise: {
      evaluated().supervise($0)
    }
  }
}

/// A reducer made of others, which says only in ``Reducer/prepared()`` what it does.
package protocol CompositeReducer: Reducer where Body == Never {}

extension CompositeReducer {
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    prepared().reduce(into: &state, action: action)
  }

  public func supervise(_ state: State) -> Effect<Action> { prepared().supervise(state) }

  /// What it contains is known once it is prepared.
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
