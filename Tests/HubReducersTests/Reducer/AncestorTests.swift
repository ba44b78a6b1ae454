// Tests that a child's effects end whoever takes its state away, also an ancestor that its parent knows nothing of.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Leaf {
  struct State: Equatable {}
  enum Action: Equatable, Sendable { case task }

  var log: Log<String>

  var body: some ReducerOf<Self> {
    Reduce { [log] _, _ in
      .run { _ in
        await never()
        log.append("end")
      }
    }
  }
}

@Reducer
private struct Middle {
  struct State: Equatable {
    var leaf: Leaf.State? = Leaf.State()
  }

  enum Action: Equatable, Sendable {
    case leaf(Leaf.Action)
    case remove
  }

  var log: Log<String>

  var body: some ReducerOf<Self> {
    EmptyReducer().ifLet(\.leaf, action: \.leaf) { Leaf(log: log) }
  }
}

@Reducer
private struct Root {
  struct State: Equatable {
    var middle = Middle.State()
  }

  enum Action: Equatable, Sendable {
    case middle(Middle.Action)
    case removeLeaf
  }

  var log: Log<String>

  var body: some ReducerOf<Self> {
    Scope(state: \.middle, action: \.middle) { Middle(log: log) }
    Reduce { state, action in
      if case .removeLeaf = action { state.middle.leaf = nil }
      return .none
    }
  }
}

/// Wraps a reducer by hand, and knows nothing of supervision.
private struct Wrapper<Base: Reducer>: Reducer {
  let base: Base

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    base.reduce(into: &state, action: action)
  }
}

@Suite struct AncestorTests {
  @Test("a grandparent that removes the state ends the effects")
  func grandparent() async {
    let log = Log<String>()
    let store = TestStore(initialState: Root.State()) { Root(log: log) }
    await store.send(.middle(.leaf(.task)))
    await store.send(.removeLeaf) { $0.middle.leaf = nil }
    await store.finish()
    #expect(log.entries == ["end"])
  }

  @Test("a hand-written wrapper that forwards only reduce keeps the parent's own removals working")
  func wrapper() async {
    let log = Log<String>()
    let parent = Reduce<Middle.State, Middle.Action> { state, action in
      if case .remove = action { state.leaf = nil }
      return .none
    }
    let store = TestStore(initialState: Middle.State()) {
      Wrapper(base: parent.ifLet(\.leaf, action: \.leaf) { Leaf(log: log) })
    }
    await store.send(.leaf(.task))
    await store.send(.remove) { $0.leaf = nil }
    await store.finish()
    #expect(log.entries == ["end"])
  }
}
