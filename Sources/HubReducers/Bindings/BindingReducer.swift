// Owns the reducer that carries out binding actions.

/// Sets the property that a ``BindingAction`` names. List it before the reducer that reacts to the new value:
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   BindingReducer()
///   Reduce { state, action in
///     switch action {
///     case .binding(\.name): ...
///     case .binding: return .none
///     }
///   }
/// }
/// ```
public struct BindingReducer<State, Action: BindableAction<State>>: Reducer {
  /// The reducer of a feature's own binding actions.
  public init() {}

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    action.binding?.set(&state)
    return .none
  }
}
