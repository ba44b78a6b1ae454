// Tests what becomes of an action that a child sends while its parent removes it.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Child {
  struct State: Equatable, Identifiable { var id = 1 }
  enum Action: Equatable, Sendable { case save, cancel, saved }

  var body: some ReducerOf<Self> {
    Reduce { _, action in
      switch action {
      case .save: .send(.saved)
      case .cancel: .send(.saved).cancellable(id: 1).merge(with: .cancel(id: 1))
      case .saved: .none
      }
    }
  }
}

@Reducer
private struct Parent {
  struct State: Equatable {
    var child: Child.State? = Child.State()
    var rows: IdentifiedArrayOf<Child.State> = [Child.State()]
  }

  enum Action: Equatable, Sendable {
    case child(Child.Action)
    case rows(IdentifiedActionOf<Child>)
  }

  var removes = true

  var body: some ReducerOf<Self> {
    Reduce { [removes] state, action in
      switch action {
      case .child(.save) where removes: state.child = nil
      case .rows(.element(let id, .save)) where removes: state.rows.remove(id: id)
      default: break
      }
      return .none
    }
    .ifLet(\.child, action: \.child) { Child() }
    .forEach(\.rows, action: \.rows) { Child() }
  }
}

@Suite struct RemovedChildTests {
  @Test(
    "a child's send in the very action in which its parent removes it is reported",
    arguments: [Parent.Action.child(.save), .rows(.element(id: 1, action: .save))])
  fileprivate func removed(_ action: Parent.Action) async {
    let store = TestStore(initialState: Parent.State()) { Parent() }
    store.exhaustivity = .off
    let messages = await issues { await store.send(action) }
    #expect(messages.count == 1)
    #expect(
      messages.first?.contains("saved") == true && messages.first?.contains("removed the child") == true)
  }

  @Test("one that arrives is not, and neither is one that is cancelled by its id")
  func kept() async {
    let store = TestStore(initialState: Parent.State()) { Parent(removes: false) }
    await store.send(.child(.save))
    await store.receive(.child(.saved))
    await store.send(.child(.cancel))
    await store.finish()
  }
}
