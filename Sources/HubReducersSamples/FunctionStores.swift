// Owns making a store from a plain reducer function.

public import HubReducers

extension Store {
  /// A store whose reducer is a plain function without effects.
  ///
  /// ```swift
  /// let store = Store(initialValue: 0, reducer: counterReducer)
  /// ```
  public convenience init(initialValue: State, reducer: @escaping (inout State, Action) -> Void) {
    self.init(initialState: initialValue) { Reduce(function: reducer) }
  }
}
