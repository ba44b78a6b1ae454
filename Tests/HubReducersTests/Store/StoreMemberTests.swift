// Tests reading single properties through a store, and what Observation reports of them.

import HubReducers
import Observation
import Testing

@Reducer
private struct Feature {
  @ObservableState
  struct State: Equatable, Sendable {
    var count = 0
    var text = ""
    var child = Child()
    struct Child: Equatable, Sendable { var number = 0 }
  }

  enum Action {
    case count(Int)
    case text(String)
    case twice
    case child(Child)
    @CasePathable enum Child { case number(Int) }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .count(let count): state.count = count
      case .text(let text): state.text = text
      case .twice: return .concatenate(.send(.count(1)), .send(.count(0)))
      case .child(.number(let number)): state.child.number = number
      }
      return .none
    }
  }
}

@MainActor
@Suite("A property of a store's state")
struct StoreMemberTests {
  private let store = Store(initialState: Feature.State()) { Feature() }

  private func changes(of read: () -> Void, during change: () -> Void) -> Bool {
    let log = Log<Bool>()
    withObservationTracking(read) { log.append(true) }
    change()
    return !log.entries.isEmpty
  }

  @Test("is read as the store's, and all at once")
  func reading() {
    store.send(.count(3))
    #expect(store.count == 3 && store.child.number == 0)
    #expect(store.withState { $0.count + $0.text.count } == 3)
  }

  @Test("is observed by itself")
  func observed() {
    #expect(!changes(of: { _ = store.count }) { store.send(.text("a")) })
    #expect(changes(of: { _ = store.count }) { store.send(.count(1)) })
    #expect(changes(of: { _ = store.count }) { store.send(.count(2)) })
    #expect(!changes(of: { _ = store.count }) { store.send(.count(2)) })
    #expect(changes(of: { _ = store.state }) { store.send(.text("b")) })
    #expect(!changes(of: { store.withState { _ = $0.count } }) { store.send(.count(3)) })
  }

  @Test("has not changed if it is what it was when the send is over")
  func thereAndBack() {
    #expect(!changes(of: { _ = store.count }) { store.send(.twice) })
  }

  @Test("is observed by everybody who reads it, once each")
  func several() {
    let log = Log<Int>()
    withObservationTracking {
      _ = store.count
    } onChange: {
      log.append(1)
    }
    withObservationTracking {
      _ = (store.count, store.text)
    } onChange: {
      log.append(2)
    }
    store.send(.text("a"))
    #expect(log.entries == [2])
    store.send(.count(1))
    store.send(.count(2))
    #expect(log.entries == [2, 1])
  }

  @Test("of a scoped store is observed by itself, for as long as that store lives")
  func scoped() {
    let child = store.scope(state: \.child, action: \.child)
    #expect(!changes(of: { _ = child.number }) { store.send(.count(7)) })
    #expect(changes(of: { _ = child.number }) { child.send(.number(1)) })
    for number in 2..<200 {
      let short = store.scope(state: \.child, action: \.child)
      #expect(short.number == number - 1)
      store.send(.child(.number(number)))
    }
  }

  @Test("is followed by Observations")
  func observations() async {
    let store = store
    let log = Log<Int>()
    let task = Task { @MainActor in
      for await count in Observations({ store.count }) {
        log.append(count)
        if count == 2 { return }
        store.send(.text("t\(count)"))
        store.send(.count(count + 1))
      }
    }
    await task.value
    #expect(log.entries == [0, 1, 2])
  }
}
