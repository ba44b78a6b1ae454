// Owns the syntax of reducer bodies: lists, conditions, loops and availability.
// Each construct becomes a concrete type, so that the optimiser sees through the whole body.

/// Builds one reducer from the statements of a body.
@resultBuilder
public enum ReducerBuilder<State, Action> {
  // An autoclosure cannot open an existential: so a reducer of a known type keeps it, and only `any Reducer` is erased.
  @inlinable
  public static func buildExpression<R: Reducer<State, Action>>(_ expression: @autoclosure () -> R) -> R {
    expression()
  }

  @inlinable
  @_disfavoredOverload
  public static func buildExpression(_ expression: any Reducer<State, Action>) -> AnyReducer<State, Action> {
    AnyReducer(expression)
  }

  @inlinable
  public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }

  @inlinable
  public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

  @inlinable
  public static func buildPartialBlock<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
    accumulated: First, next: Second
  ) -> _Sequence<First, Second> {
    _Sequence(accumulated, next)
  }

  @inlinable
  public static func buildOptional<R: Reducer<State, Action>>(_ component: R?) -> R? { component }

  @inlinable
  public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
    first component: First
  ) -> _Conditional<First, Second> {
    .first(component)
  }

  @inlinable
  public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
    second component: Second
  ) -> _Conditional<First, Second> {
    .second(component)
  }

  @inlinable
  public static func buildArray<R: Reducer<State, Action>>(_ components: [R]) -> _SequenceMany<R> {
    _SequenceMany(components)
  }

  @inlinable
  public static func buildLimitedAvailability(
    _ component: some Reducer<State, Action>
  ) -> AnyReducer<State, Action> {
    AnyReducer(component)
  }

  @inlinable
  public static func buildFinalResult<R: Reducer<State, Action>>(_ component: R) -> R { component }
}
