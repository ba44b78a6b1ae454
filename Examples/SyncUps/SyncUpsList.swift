// The list of all sync-ups, and the form for a new one.

import HubReducers

@Reducer
struct SyncUpsList {
  struct State: Equatable, Sendable {
    @Presents var form: SyncUpForm.State?
    @Shared(.syncUps) var syncUps
  }

  enum Action: Equatable, Sendable {
    case addTapped
    case addCancelled
    case addConfirmed
    case removed(SyncUp.ID)
    case form(PresentationAction<SyncUpForm.Action>)
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addTapped: state.form = SyncUpForm.State(syncUp: SyncUp(id: uuid()))
      case .addCancelled: state.form = nil
      case .addConfirmed:
        guard let syncUp = state.form?.syncUp.cleaned else { break }
        state.form = nil
        // Another process may add one at the same time: both stay.
        state.$syncUps.withLock { _ = $0.append(syncUp) }
      case .removed(let id): state.$syncUps.withLock { _ = $0.remove(id: id) }
      case .form: break
      }
      return .none
    }
    .ifLet(\.$form, action: \.form) { SyncUpForm() }
  }
}
