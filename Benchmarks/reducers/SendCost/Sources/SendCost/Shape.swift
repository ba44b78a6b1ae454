// The shapes of features whose cost is measured, and the loop that sends.

import HubReducers

enum Shape: String, CaseIterable {
  // So many `Reduce`s in one body, each of which changes the state.
  case siblings1, siblings10, siblings100
  // So many `Scope`s in one body, each of which runs a child.
  case scopes1, scopes10, scopes100
  // A feature in a feature in a feature.
  case nested1, nested10
  // As many children in one body, of which one is meant.
  case routed10
  // Not plain: a child that may be absent, one row of ten, an action that sends a second one.
  case ifLet, forEach, answered

  @MainActor
  func time(sends: Int) -> Duration {
    switch self {
    case .siblings1: measure(Flat.State(), .increment, sends) { Flat() }
    case .siblings10: measure(Flat.State(), .increment, sends) { Ten(Flat()) }
    case .siblings100: measure(Flat.State(), .increment, sends) { Ten(Ten(Flat())) }
    case .scopes1: measure(Parent.State(), .child(.increment), sends) { Parent() }
    case .scopes10: measure(Parent.State(), .child(.increment), sends) { Ten(Parent()) }
    case .scopes100: measure(Parent.State(), .child(.increment), sends) { Ten(Ten(Parent())) }
    case .nested1: measure(Level1.State(), Level1.deepest, sends) { Level1() }
    case .nested10: measure(Level10.State(), Level10.deepest, sends) { Level10() }
    case .routed10: measure(Routed.State(), .j(.increment), sends) { Routed() }
    case .ifLet: measure(Maybe.State(), .child(.increment), sends) { Maybe() }
    case .forEach: measure(Rows.State(), .row(.element(id: 7, action: .increment)), sends) { Rows() }
    case .answered: measure(Answered.State(), .ask, sends) { Answered() }
    }
  }

  @MainActor
  private func measure<R: Reducer>(_ state: R.State, _ action: R.Action, _ sends: Int, _ reducer: () -> R)
    -> Duration
  {
    let store = Store(initialState: state, reducer: reducer)
    return ContinuousClock().measure {
      for _ in 0..<sends { store.send(action) }
    }
  }
}
