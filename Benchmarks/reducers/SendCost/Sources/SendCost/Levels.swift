// Features in features, ten deep. Written out, since a feature that is generic over its child is not what programs have.

import HubReducers

@Reducer
struct Level1 {
  struct State { var child = Flat.State() }
  enum Action: Sendable { case child(Flat.Action) }
  static var deepest: Action { .child(.increment) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Flat() } }
}

@Reducer
struct Level2 {
  struct State { var child = Level1.State() }
  enum Action: Sendable { case child(Level1.Action) }
  static var deepest: Action { .child(Level1.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level1() } }
}

@Reducer
struct Level3 {
  struct State { var child = Level2.State() }
  enum Action: Sendable { case child(Level2.Action) }
  static var deepest: Action { .child(Level2.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level2() } }
}

@Reducer
struct Level4 {
  struct State { var child = Level3.State() }
  enum Action: Sendable { case child(Level3.Action) }
  static var deepest: Action { .child(Level3.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level3() } }
}

@Reducer
struct Level5 {
  struct State { var child = Level4.State() }
  enum Action: Sendable { case child(Level4.Action) }
  static var deepest: Action { .child(Level4.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level4() } }
}

@Reducer
struct Level6 {
  struct State { var child = Level5.State() }
  enum Action: Sendable { case child(Level5.Action) }
  static var deepest: Action { .child(Level5.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level5() } }
}

@Reducer
struct Level7 {
  struct State { var child = Level6.State() }
  enum Action: Sendable { case child(Level6.Action) }
  static var deepest: Action { .child(Level6.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level6() } }
}

@Reducer
struct Level8 {
  struct State { var child = Level7.State() }
  enum Action: Sendable { case child(Level7.Action) }
  static var deepest: Action { .child(Level7.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level7() } }
}

@Reducer
struct Level9 {
  struct State { var child = Level8.State() }
  enum Action: Sendable { case child(Level8.Action) }
  static var deepest: Action { .child(Level8.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level8() } }
}

@Reducer
struct Level10 {
  struct State { var child = Level9.State() }
  enum Action: Sendable { case child(Level9.Action) }
  static var deepest: Action { .child(Level9.deepest) }

  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Level9() } }
}
