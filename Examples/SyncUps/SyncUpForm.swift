// Editing a sync-up, for the list and for the detail. There is always an attendee to type the name of.

import FoundationEssentials
import HubReducers

@Reducer
struct SyncUpForm {
  struct State: Equatable, Sendable {
    enum Field: Equatable, Sendable {
      case title
      case attendee(SyncUp.Attendee.ID)
    }

    var syncUp: SyncUp
    var focus: Field? = .title

    init(syncUp: SyncUp, focus: Field? = .title) {
      (self.syncUp, self.focus) = (syncUp, focus)
      if syncUp.attendees.isEmpty { addAttendee() }
    }

    fileprivate mutating func addAttendee() {
      @Dependency(\.uuid) var uuid
      self.syncUp.attendees.append(SyncUp.Attendee(id: uuid()))
    }
  }

  enum Action: BindableAction, Equatable, Sendable {
    case binding(BindingAction<State>)
    case addAttendeeTapped
    case attendeeRemoved(SyncUp.Attendee.ID)
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding: break
      case .addAttendeeTapped:
        state.addAttendee()
        state.focus = state.syncUp.attendees.last.map { .attendee($0.id) }
      case .attendeeRemoved(let id):
        let index = state.syncUp.attendees.index(id: id) ?? 0
        state.syncUp.attendees.remove(id: id)
        if state.syncUp.attendees.isEmpty { state.addAttendee() }
        // The one that has taken its position, or the last one.
        let attendees = state.syncUp.attendees
        state.focus = .attendee(attendees[min(index, attendees.count - 1)].id)
      }
      return .none
    }
  }
}
