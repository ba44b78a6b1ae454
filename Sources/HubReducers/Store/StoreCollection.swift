// Owns the stores of the elements of an array: one for each, by its id.

extension Store {
  /// Stores of the elements of an identified array, in their current order:
  ///
  ///     for row in store.scope(state: \.rows, action: \.rows) { show(row) }
  ///
  /// Observation reports when elements are added, removed or moved. A change of an element is reported only by its own
  /// store.
  public func scope<ID, ElementState, ElementAction>(
    state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>
  ) -> StoreCollection<ID, ElementState, ElementAction> {
    let ids = core.observed(state.appending(path: \.ids))
    let elements = core.state[keyPath: state]
    let path = AnyCasePath(action)
    return StoreCollection(ids) { id in
      guard let element = elements[id: id] else { preconditionFailure("an element without its id") }
      return self.scope(from: element, path.appending(IdentifiedAction.allCasePaths[id: id])) {
        $0[keyPath: state][id: id]
      }
    }
  }

  /// Stores of the elements of an identified array, in their current order.
  public func scope<ID, ElementState, ElementAction>(
    _ state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>
  ) -> StoreCollection<ID, ElementState, ElementAction> {
    scope(state: state, action: action)
  }
}

/// A store for each element of a collection. A store is created on access, and keeps its last state once its element
/// is gone.
public struct StoreCollection<ID: Hashable & Sendable, State, Action>: @MainActor RandomAccessCollection {
  /// The ids of the elements, in their order.
  public let ids: [ID]
  private let makeStore: @MainActor (ID) -> Store<State, Action>

  init(_ ids: [ID], _ makeStore: @escaping @MainActor (ID) -> Store<State, Action>) {
    self.ids = ids
    self.makeStore = makeStore
  }

  @MainActor public var startIndex: Int { ids.startIndex }
  @MainActor public var endIndex: Int { ids.endIndex }
  /// The store of the element at a position, made on access.
  @MainActor public subscript(position: Int) -> Store<State, Action> { makeStore(ids[position]) }
}
