// The whole program: the list, and the screens on top of it.

import HubReducers

@Reducer
struct SyncUps {
  @Reducer
  enum Path {
    case detail(SyncUpDetail)
    case record(RecordMeeting)
  }

  struct State: Equatable, Sendable {
    var list = SyncUpsList.State()
    var path = StackState<Path.State>()
  }

  enum Action: Equatable, Sendable {
    case task
    case opened(SyncUp.ID)
    case syncUpsChanged(IdentifiedArrayOf<SyncUp>)
    case list(SyncUpsList.Action)
    case path(StackActionOf<Path>)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.list, action: \.list) { SyncUpsList() }
    Reduce { state, action in
      switch action {
      case .opened(let id):
        let syncUp = state.list.$syncUps.elements().first { $0.wrappedValue.id == id }
        if let syncUp { state.path.append(.detail(SyncUpDetail.State(syncUp: syncUp))) }
      case .path(.element(let id, .detail(.meetTapped))):
        guard let detail = state.path[id: id, case: \.detail] else { break }
        state.path.append(.record(RecordMeeting.State(syncUp: detail.$syncUp)))
        return state.path.ids.last.map { .send(.path(.element(id: $0, action: .record(.task)))) } ?? .none
      case .syncUpsChanged(let syncUps):
        // This process or another one has deleted what is shown.
        let gone = state.path.ids.first { id in
          state.path[id: id].map { syncUps[id: $0.syncUp.id] == nil } ?? false
        }
        if let gone { state.path.pop(from: gone) }
      case .task, .list, .path: break
      }
      return .none
    }
    .forEach(\.path, action: \.path)
    .subscribe(to: { Shared(.syncUps).values }, on: \.task, with: \.syncUpsChanged)
  }
}

extension SyncUps.Path.State: Equatable, Sendable {
  var syncUp: SyncUp {
    switch self {
    case .detail(let detail): detail.syncUp
    case .record(let record): record.syncUp
    }
  }
}

extension SyncUps.Path.Action: Equatable, Sendable {}
