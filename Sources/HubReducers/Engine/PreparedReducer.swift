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
