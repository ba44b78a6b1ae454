// Owns the operator that prints every action and what it changed.

import HubSystem

extension Reducer {
  /// Prints every action and what it changed, after this reducer has handled it.
  ///
  /// For development, because rendering the difference between states is slow. The output has the order of the
  /// actions.
  @warn_unqualified_access
  public func _printChanges(
    _ printer: _ReducerPrinter<State, Action> = .differences
  ) -> _PrintChangesReducer<Self> {
    _PrintChangesReducer(base: self, printer: printer)
  }
}

/// The format of actions and changes.
public struct _ReducerPrinter<State, Action> {
  package let text: (_ action: Action, _ before: State, _ after: State) -> String
  let write: @Sendable (String) -> Void

  /// A format given by a function of the action and the states before and after it.
  public init(
    text: @escaping (_ action: Action, _ before: State, _ after: State) -> String,
    write: @escaping @Sendable (String) -> Void = Self.standardError
  ) {
    self.text = text
    self.write = write
  }

  /// The action, and the lines of the state that it changed.
  public static var differences: Self {
    Self(text: { "received \($0)\n\(difference($1, $2) ?? "  (no change)")\n" })
  }

  /// Only the actions.
  public static var actions: Self { Self(text: { action, _, _ in "received \(action)\n" }) }

  /// Writes a text to standard error.
  public static var standardError: @Sendable (String) -> Void { { StandardStream.error.write($0) } }
}

/// The reducer behind `_printChanges`.
public struct _PrintChangesReducer<Base: Reducer>: CompositeReducer {
  let base: Base
  let printer: _ReducerPrinter<Base.State, Base.Action>

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    base.prepared().wrapped { [printer] base, state, action in
      let before = state
      let effect = base.reduce(into: &state, action: action)
      let text = printer.text(action, before, state)
      return effect.merge(with: .perform { [write = printer.write] in write(text) })
    }
  }
}
