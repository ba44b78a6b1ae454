// Tests of the stores of an array's elements: which there are, what they show, where their actions go, what Observation reports.

import HubReducers
import Observation
import Testing

@Reducer
private struct Row {
  @ObservableState
  struct State: Equatable, Identifiable, Sendable {
    let id: Int
    var count = 0
  }

  enum Action { case tap }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

@Reducer
private struct List {
  @ObservableState
  struct State: Equatable, Sendable {
    var rows: IdentifiedArrayOf<Row.State> = [Row.State(id: 1), Row.State(id: 2)]
  }

  enum Action {
    case rows(IdentifiedActionOf<Row>)
    case reverse
    case remove(Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .rows: break
      case .reverse: state.rows.reverse()
      case .remove(let id): state.rows.remove(id: id)
      }
      return .none
    }
    .forEach(\.rows, action: \.rows) { Row() }
  }
}

@MainActor
@Suite("Stores of an array's elements")
struct StoreCollectionTests {
  private let store = Store(initialState: List.State()) { List() }

  @Test("are one for each element, in order, and each sends to its own")
  func elements() {
    let rows = store.scope(state: \.rows, action: \.rows)
    #expect(rows.ids == [1, 2])
    #expect(rows.map(\.id) == [1, 2])
    rows[1].send(.tap)
    #expect(rows.map(\.count) == [0, 1])
    #expect(store.rows[id: 2]?.count == 1)
    store.send(.reverse)
    // Those that are there follow their element, not its place.
    #expect(rows[1].id == 2 && rows[1].count == 1)
    #expect(store.scope(\.rows, action: \.rows).ids == [2, 1])
  }

  @Test("keep the last state once their element is gone")
  func gone() {
    let row = store.scope(state: \.rows, action: \.rows)[0]
    row.send(.tap)
    #expect(row.count == 1)
    store.send(.remove(1))
    #expect(row.count == 1)
    #expect(store.scope(state: \.rows, action: \.rows).count == 1)
  }

  @Test("are observed by themselves: the collection only for what comes, goes and moves")
  func observed() {
    func changes(of read: () -> Void, during change: () -> Void) -> Bool {
      let log = Log<Bool>()
      withObservationTracking(read) { log.append(true) }
      change()
      return !log.entries.isEmpty
    }
    let rows = store.scope(state: \.rows, action: \.rows)
    #expect(!changes(of: { _ = store.scope(state: \.rows, action: \.rows) }) { rows[0].send(.tap) })
    #expect(changes(of: { _ = store.scope(state: \.rows, action: \.rows) }) { store.send(.reverse) })
    #expect(changes(of: { _ = store.scope(state: \.rows, action: \.rows) }) { store.send(.remove(2)) })
    let row = rows[0]
    #expect(changes(of: { _ = row.count }) { row.send(.tap) })
  }

  @Test("of a part of a store are found by key paths alone")
  func identity() {
    let rows = Array(store.scope(\.self, action: \.self).scope(\.rows, action: \.rows))
    rows[0].send(.tap)
    #expect(store.rows[id: 1]?.count == 1)
  }
}
