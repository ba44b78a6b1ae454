// One sync-up: edited, deleted after a question, and met.

import HubReducers

@Reducer
struct SyncUpDetail {
  @Reducer
  enum Destination {
    case alert(AlertState<Alert>)
    case form(SyncUpForm)

    @CasePathable
    enum Alert: Equatable, Sendable { case deletionConfirmed }
  }

  struct State: Equatable, Sendable {
    @Presents var destination: Destination.State?
    /// An element of the shared list: other processes change it, too.
    @Shared var syncUp: SyncUp
    @Shared(.syncUps) var syncUps

    init(syncUp: Shared<SyncUp>) { _syncUp = syncUp }
  }

  enum Action: Equatable, Sendable {
    case deleteTapped
    case editTapped
    case editCancelled
    case editConfirmed
    case meetingRemoved(SyncUp.Meeting.ID)
    /// The parent starts the meeting.
    case meetTapped
    case destination(PresentationAction<Destination.Action>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .deleteTapped: state.destination = .alert(.deletion(of: state.syncUp))
      case .editTapped: state.destination = .form(SyncUpForm.State(syncUp: state.syncUp))
      case .editCancelled: state.destination = nil
      case .editConfirmed:
        guard let edited = state.destination?.form?.syncUp.cleaned else { break }
        state.destination = nil
        // The meetings are those of now: one may have been held meanwhile.
        state.$syncUp.withLock { syncUp in
          let meetings = syncUp.meetings
          syncUp = edited
          syncUp.meetings = meetings
        }
      case .meetingRemoved(let id): state.$syncUp.withLock { _ = $0.meetings.remove(id: id) }
      case .destination(.presented(.alert(.deletionConfirmed))):
        state.$syncUps.withLock { [id = state.syncUp.id] in _ = $0.remove(id: id) }
      case .meetTapped, .destination: break
      }
      return .none
    }
    .ifLet(\.$destination, action: \.destination)
  }
}

extension SyncUpDetail.Destination.State: Equatable, Sendable {}
extension SyncUpDetail.Destination.Action: Equatable, Sendable {}

extension AlertState<SyncUpDetail.Destination.Alert> {
  static func deletion(of syncUp: SyncUp) -> Self {
    AlertState {
      TextState("Delete \(syncUp.title)?")
    } actions: {
      ButtonState(role: .destructive, action: .deletionConfirmed) { TextState("delete") }
      ButtonState(role: .cancel) { TextState("keep") }
    } message: {
      TextState("Its meetings are deleted, too, for everyone.")
    }
  }
}
