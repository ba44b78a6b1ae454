// The features that are composed: as plain as features are, so that what is measured is the composition.

import HubReducers

@Reducer
struct Flat {
  struct State { var count = 0 }
  enum Action: Sendable { case increment }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

/// The same reducer ten times in a row.
struct Ten<Base: Reducer>: Reducer {
  let base: Base

  init(_ base: Base) { self.base = base }

  @ReducerBuilder<Base.State, Base.Action>
  var body: some Reducer<Base.State, Base.Action> {
    base
    base
    base
    base
    base
    base
    base
    base
    base
    base
  }
}

@Reducer
struct Parent {
  struct State { var child = Flat.State() }
  enum Action: Sendable { case child(Flat.Action) }

  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Flat() }
  }
}

@Reducer
struct Routed {
  struct State {
    var (a, b, c, d, e) = (Flat.State(), Flat.State(), Flat.State(), Flat.State(), Flat.State())
    var (f, g, h, i, j) = (Flat.State(), Flat.State(), Flat.State(), Flat.State(), Flat.State())
  }
  enum Action: Sendable {
    case a(Flat.Action)
    case b(Flat.Action)
    case c(Flat.Action)
    case d(Flat.Action)
    case e(Flat.Action)
    case f(Flat.Action)
    case g(Flat.Action)
    case h(Flat.Action)
    case i(Flat.Action)
    case j(Flat.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.a, action: \.a) { Flat() }
    Scope(state: \.b, action: \.b) { Flat() }
    Scope(state: \.c, action: \.c) { Flat() }
    Scope(state: \.d, action: \.d) { Flat() }
    Scope(state: \.e, action: \.e) { Flat() }
    Scope(state: \.f, action: \.f) { Flat() }
    Scope(state: \.g, action: \.g) { Flat() }
    Scope(state: \.h, action: \.h) { Flat() }
    Scope(state: \.i, action: \.i) { Flat() }
    Scope(state: \.j, action: \.j) { Flat() }
  }
}

@Reducer
struct Maybe {
  struct State { var child: Flat.State? = Flat.State() }
  enum Action: Sendable { case child(Flat.Action) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .ifLet(\.child, action: \.child) { Flat() }
  }
}

@Reducer
struct Row {
  struct State: Identifiable {
    let id: Int
    var count = 0
  }
  enum Action: Sendable { case increment }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

@Reducer
struct Rows {
  struct State {
    var rows = IdentifiedArray((0..<10).map { Row.State(id: $0) }, id: \.id)
  }
  enum Action: Sendable { case row(IdentifiedActionOf<Row>) }

  var body: some ReducerOf<Self> {
    Reduce { _, _ in .none }
      .forEach(\.rows, action: \.row) { Row() }
  }
}

@Reducer
struct Answered {
  struct State { var count = 0 }
  enum Action: Sendable {
    case ask
    case answer
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .ask: return .send(.answer)
      case .answer:
        state.count += 1
        return .none
      }
    }
  }
}
