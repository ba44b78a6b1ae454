// Tests SyncUps' features, each alone and with another process that changes the same list.

import FoundationEssentials
import HubReducers
import HubReducersTesting
import Testing

@testable import sync_ups

private typealias Attendee = SyncUp.Attendee

@Suite("SyncUps")
struct SyncUpsTests {
  private let hub = Hub.inMemory()
  private let clock = TestClock()

  private func syncUp(_ names: String...) -> SyncUp {
    let attendees = names.enumerated().map { Attendee(id: UUID($0 + 100), name: $1) }
    return SyncUp(
      id: UUID(1000), title: "Design", minutes: 1, attendees: IdentifiedArray(uniqueElements: attendees))
  }

  /// The list as another process has it.
  private var elsewhere: SharedValue<IdentifiedArrayOf<SyncUp>> {
    get throws { try #require(hub.memory).connect().value("sync-ups") }
  }

  private func store<R: Reducer>(_ state: @autoclosure () -> R.State, _ reducer: @autoclosure () -> R)
    -> TestStoreOf<R>
  where R.State: Equatable {
    TestStore(initialState: state()) {
      reducer()
    } withDependencies: {
      $0.hub = hub
      $0.uuid = .incrementing
      $0.continuousClock = clock
      $0.date = .constant(Date(timeIntervalSince1970: 0))
    }
  }

  @Test("a form always has an attendee, and the focus is on the name to type next")
  func form() async {
    let store = store(SyncUpForm.State(syncUp: SyncUp(id: UUID(1000))), SyncUpForm())
    #expect(store.state.syncUp.attendees == [Attendee(id: UUID(0))])
    await store.send(.set(\.syncUp.title, "Design")) { $0.syncUp.title = "Design" }
    await store.send(.addAttendeeTapped) {
      $0.syncUp.attendees.append(Attendee(id: UUID(1)))
      $0.focus = .attendee(UUID(1))
    }
    await store.send(.attendeeRemoved(UUID(0))) { $0.syncUp.attendees.remove(id: UUID(0)) }
    await store.send(.attendeeRemoved(UUID(1))) {
      $0.syncUp.attendees = [Attendee(id: UUID(2))]
      $0.focus = .attendee(UUID(2))
    }
  }

  @Test("a new sync-up is in the list of every process, without the attendees that have no name")
  func add() async throws {
    try await elsewhere.set([syncUp("Bob")])
    let store = store(SyncUpsList.State(), SyncUpsList())
    await store.send(.addTapped) {
      $0.form = SyncUpForm.State(syncUp: SyncUp(id: UUID(0), attendees: [Attendee(id: UUID(1))]))
    }
    let attendees: IdentifiedArrayOf<Attendee> = [
      Attendee(id: UUID(1), name: " "), Attendee(id: UUID(2), name: "Ann"),
    ]
    await store.send(\.form, .presented(.set(\.syncUp.attendees, attendees))) {
      $0.form?.syncUp.attendees = attendees
    }
    await store.send(.addConfirmed) {
      $0.form = nil
      $0.syncUps = [syncUp("Bob"), SyncUp(id: UUID(0), attendees: [attendees[1]])]
    }
    #expect(try await elsewhere.get() == store.state.syncUps)
    await store.send(.removed(UUID(1000))) { $0.syncUps.remove(id: UUID(1000)) }
    #expect(try await elsewhere.get().map(\.id) == [UUID(0)])
  }

  @Test(
    "an edit that is confirmed keeps a meeting that was held meanwhile, and one that is cancelled changes nothing"
  )
  func edit() async {
    let old = syncUp("Ann", "Bob")
    let shared = Shared(value: old)
    let store = store(SyncUpDetail.State(syncUp: shared), SyncUpDetail())
    await store.send(.editTapped) { $0.destination = .form(SyncUpForm.State(syncUp: old)) }
    await store.send(.editCancelled) { $0.destination = nil }
    await store.send(.editTapped) { $0.destination = .form(SyncUpForm.State(syncUp: old)) }
    var new = old
    new.title = "Plan"
    await store.send(\.destination.form, .set(\.syncUp.title, "Plan")) { [new] in
      $0.destination = .form(SyncUpForm.State(syncUp: new))
    }
    let meeting = SyncUp.Meeting(id: UUID(7), date: Date(timeIntervalSince1970: 0), transcript: "Hello")
    store.exhaustivity = .off
    shared.withLock { _ = $0.meetings.append(meeting) }
    await store.send(.editConfirmed)
    new.meetings = [meeting]
    #expect(store.state.syncUp == new && store.state.destination == nil)
    await store.send(.meetingRemoved(meeting.id))
    #expect(store.state.syncUp.meetings.isEmpty)
  }

  @Test("everyone speaks for the same time, and at the end the meeting is saved with what was heard")
  func meeting() async throws {
    let store = store(RecordMeeting.State(syncUp: Shared(value: syncUp("Ann", "Bob"))), RecordMeeting())
    store.exhaustivity = .off
    let speech = hub.value("sync-ups.speech", of: String.self)
    try await speech.set("From another meeting")
    await store.send(.task)
    await store.receive(.speech(.connected))
    try await speech.set("We ship on Friday")
    await store.receive(.heard("We ship on Friday")) { $0.transcript = "We ship on Friday" }
    await clock.advance(by: .seconds(29))
    await store.skipReceivedActions(strict: false)
    #expect(store.state.seconds == 29 && store.state.speaker == 0)
    await clock.advance(by: .seconds(1))
    await store.receive(.ticked) { $0.speaker = 1 }
    await clock.advance(by: .seconds(30))
    await store.skipReceivedActions(strict: false)
    let meeting = SyncUp.Meeting(
      id: UUID(0), date: Date(timeIntervalSince1970: 0), transcript: "We ship on Friday")
    #expect(store.state.syncUp.meetings == [meeting])
    #expect(store.isDismissed)
  }

  @Test("a meeting rests while it asks whether to end, and is saved only if that is wanted")
  func endEarly() async {
    let store = store(RecordMeeting.State(syncUp: Shared(value: syncUp("Ann", "Bob"))), RecordMeeting())
    await store.send(.nextTapped) {
      $0.speaker = 1
      $0.seconds = 30
    }
    await store.send(.nextTapped) { $0.alert = .endMeeting(isDiscardable: false) }
    await store.send(.ticked)
    await store.send(\.alert.dismiss) { $0.alert = nil }
    await store.send(.ticked) { $0.seconds = 31 }
    await store.send(.endTapped) { $0.alert = .endMeeting(isDiscardable: true) }
    await store.send(\.alert.discardTapped) { $0.alert = nil }
    #expect(store.isDismissed && store.state.syncUp.meetings.isEmpty)
  }

  @Test("a meeting whose transcript fails asks what to do, and continues")
  func speechFails() async throws {
    try await hub.value("sync-ups.speech").set(7)
    let store = store(RecordMeeting.State(syncUp: Shared(value: syncUp("Ann"))), RecordMeeting())
    store.exhaustivity = .off
    let task = await store.send(.task)
    await store.receive(\.speech.failed) { $0.alert = .speechFailed }
    await store.send(\.alert.dismiss) { $0.alert = nil }
    await clock.advance(by: .seconds(1))
    await store.receive(.ticked) { $0.seconds = 1 }
    await task.cancel()
  }

  @Test(
    "what is deleted here or in another process disappears together with its screens",
    arguments: [true, false])
  func deleted(here: Bool) async throws {
    try await elsewhere.set([syncUp("Ann", "Bob")])
    let store = store(SyncUps.State(), SyncUps())
    store.exhaustivity = .off
    let task = await store.send(.task)
    await store.send(.opened(UUID(1000)))
    if here {
      await store.send(\.path[id: 0].detail.deleteTapped)
      #expect(
        store.state.path[id: 0, case: \.detail]?.destination == .alert(.deletion(of: syncUp("Ann", "Bob"))))
      await store.send(\.path[id: 0].detail.destination.alert.deletionConfirmed)
    } else {
      await store.send(\.path[id: 0].detail.meetTapped)
      await store.receive(\.path[id: 1].record.task)
      #expect(store.state.path.count == 2)
      try await elsewhere.set([])
    }
    await store.receive(.syncUpsChanged([]))
    #expect(store.state.path.isEmpty && store.state.list.syncUps.isEmpty)
    #expect(try await elsewhere.get().isEmpty)
    await task.cancel()
  }
}
