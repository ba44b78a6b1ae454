// A meeting under way: each attendee has the same time, and what is said is written down.

import FoundationEssentials
import HubReducers

@Reducer
struct RecordMeeting {
  struct State: Equatable, Sendable {
    @Presents var alert: AlertState<Action.Alert>?
    @Shared var syncUp: SyncUp
    var seconds = 0
    var speaker = 0
    var transcript = ""

    init(syncUp: Shared<SyncUp>) { _syncUp = syncUp }

    fileprivate var isLastSpeaker: Bool { speaker >= syncUp.attendees.count - 1 }
  }

  enum Action: Equatable, Sendable {
    case task
    case ticked
    case heard(String)
    case speech(SubscriptionEvent)
    case nextTapped
    case endTapped
    case alert(PresentationAction<Alert>)

    @CasePathable
    enum Alert: Equatable, Sendable { case saveTapped, discardTapped }
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.date) var date
  @Dependency(\.dismiss) var dismiss
  @Dependency(\.hub) var hub
  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked) }
        }
      case .ticked:
        guard state.alert == nil else { break }
        state.seconds += 1
        guard state.seconds.isMultiple(of: state.syncUp.secondsPerAttendee) else { break }
        if state.isLastSpeaker { return save(state) }
        state.speaker += 1
      case .heard(let line): state.transcript += state.transcript.isEmpty ? line : "\n" + line
      case .speech(.failed): state.alert = .speechFailed
      case .nextTapped where state.isLastSpeaker: state.alert = .endMeeting(isDiscardable: false)
      case .nextTapped:
        state.speaker += 1
        state.seconds = state.speaker * state.syncUp.secondsPerAttendee
      case .endTapped: state.alert = .endMeeting(isDiscardable: true)
      case .alert(.presented(.saveTapped)): return save(state)
      case .alert(.presented(.discardTapped)): return .run { _ in await dismiss() }
      case .alert, .speech: break
      }
      return .none
    }
    .ifLet(\.$alert, action: \.alert)
    // Any program can listen to the room and set the store: `statectl set sync-ups.speech "we ship on Friday"`.
    .subscribe(
      to: { [hub] in hub.value("sync-ups.speech", of: String.self).events(.every()) }, on: \.task
    ) { send, event in
      if event.kind == .changed, let line = event.value { await send(.heard(line)) }
    }
    .lifecycle(\.speech)
  }

  private func save(_ state: State) -> Effect<Action> {
    let meeting = SyncUp.Meeting(id: uuid(), date: date.now, transcript: state.transcript)
    state.$syncUp.withLock { _ = $0.meetings.insert(meeting, at: 0) }
    return .run { _ in await dismiss() }
  }
}

extension AlertState<RecordMeeting.Action.Alert> {
  static func endMeeting(isDiscardable: Bool) -> Self {
    AlertState {
      TextState("End the meeting?")
    } actions: {
      ButtonState(action: .saveTapped) { TextState("save") }
      if isDiscardable {
        ButtonState(role: .destructive, action: .discardTapped) { TextState("discard") }
      }
      ButtonState(role: .cancel) { TextState("resume") }
    }
  }

  static var speechFailed: Self {
    AlertState {
      TextState("The transcript has ended.")
    } actions: {
      ButtonState(role: .cancel) { TextState("resume") }
      ButtonState(role: .destructive, action: .discardTapped) { TextState("discard") }
    } message: {
      TextState("The meeting can continue without it.")
    }
  }
}
