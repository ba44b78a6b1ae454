// Tests subscriptions that run exactly while the state asks for them.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Tracker {
  struct State: Equatable, Identifiable {
    var id = 0
    var isTracking = false
    var room: Int?
    var last = 0
  }

  enum Action: Equatable, Sendable {
    case track(Bool)
    case flicker
    case room(Int?)
    case moved(Int)
    case link(SubscriptionEvent)
  }

  var source = Source()
  var rooms = [Source(), Source()]

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .track(let isOn): state.isTracking = isOn
      case .flicker: return .merge(.send(.track(false)), .send(.track(true)))
      case .room(let room): state.room = room
      case .moved(let place): state.last = place
      case .link: break
      }
      return .none
    }
    .subscribe(to: SequenceSource(source.stream), while: \.isTracking, with: \.moved)
    .subscribe(to: { [rooms] room in SequenceSource(rooms[room].stream) }, while: \.room, with: \.moved)
  }
}

@Reducer
private struct Parent {
  struct State: Equatable {
    var tracker: Tracker.State? = Tracker.State()
    var rows: IdentifiedArrayOf<Tracker.State> = []
  }

  enum Action: Equatable, Sendable {
    case tracker(Tracker.Action)
    case rows(IdentifiedActionOf<Tracker>)
    case switchOn
    case remove
    case addRows
    case removeRow(Int)
  }

  var source = Source()

  var body: some ReducerOf<Self> {
    EmptyReducer()
      .ifLet(\.tracker, action: \.tracker) { Tracker(source: source) }
      .forEach(\.rows, action: \.rows) { Tracker(source: source) }
    Reduce { state, action in
      switch action {
      case .switchOn: state.tracker?.isTracking = true
      case .remove: state.tracker = nil
      case .addRows:
        state.rows = [Tracker.State(id: 1, isTracking: true), Tracker.State(id: 2, isTracking: true)]
      case .removeRow(let id): state.rows.remove(id: id)
      default: break
      }
      return .none
    }
  }
}

/// Wraps a reducer by hand, and knows nothing of supervision.
private struct Wrapper<Base: Reducer>: Reducer {
  let base: Base

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    base.reduce(into: &state, action: action)
  }
}

@Suite struct SubscribeWhileTests {
  @Test("it starts when the condition becomes true, and ends when it becomes false")
  func condition() async {
    let tracker = Tracker()
    let store = TestStore(initialState: Tracker.State()) { tracker }
    #expect(tracker.source.readers == 0)
    await store.send(.track(true)) { $0.isTracking = true }
    #expect(tracker.source.readers == 1)
    tracker.source.send(5)
    await store.receive(.moved(5)) { $0.last = 5 }
    #expect(tracker.source.made == 1)
    await store.send(.track(false)) { $0.isTracking = false }
    #expect(tracker.source.readers == 0)
  }

  @Test("it runs from the first state on, without any action")
  func initialState() async {
    let tracker = Tracker()
    let store = TestStore(initialState: Tracker.State(isTracking: true)) { tracker }
    #expect(tracker.source.readers == 1)
    tracker.source.send(1)
    await store.receive(.moved(1)) { $0.last = 1 }
    await store.cancelInFlightEffects()
  }

  @Test("a condition that was false in between restarts it, even in one batch")
  func flicker() async {
    let tracker = Tracker()
    let store = TestStore(initialState: Tracker.State(isTracking: true)) { tracker }
    await store.send(.flicker)
    await store.receive(.track(false)) { $0.isTracking = false }
    await store.receive(.track(true)) { $0.isTracking = true }
    #expect(tracker.source.made == 2 && tracker.source.readers == 1)
    await store.send(.track(false)) { $0.isTracking = false }
  }

  @Test("an argument in the state chooses the stream, and changing it changes the stream")
  func argument() async {
    let tracker = Tracker()
    let store = TestStore(initialState: Tracker.State()) { tracker }
    await store.send(.room(0)) { $0.room = 0 }
    #expect(tracker.rooms.map(\.readers) == [1, 0])
    await store.send(.room(1)) { $0.room = 1 }
    #expect(tracker.rooms.map(\.readers) == [0, 1])
    tracker.rooms[1].send(3)
    await store.receive(.moved(3)) { $0.last = 3 }
    await store.send(.room(nil)) { $0.room = nil }
    #expect(tracker.rooms.map(\.readers) == [0, 0])
  }

  @Test("a stream that ended by itself is not followed again before the condition was false")
  func ended() async {
    let tracker = Tracker()
    let store = TestStore(initialState: Tracker.State(isTracking: true)) { tracker }
    tracker.source.finish()
    await store.send(.room(nil))
    #expect(tracker.source.made == 1)
    await store.send(.track(false)) { $0.isTracking = false }
    await store.send(.track(true)) { $0.isTracking = true }
    #expect(tracker.source.made == 2)
    await store.send(.track(false)) { $0.isTracking = false }
  }

  @Test("a parent that changes the child's state switches it, and removing the child ends it")
  func parent() async {
    let parent = Parent()
    let store = TestStore(initialState: Parent.State()) { parent }
    await store.send(.switchOn) { $0.tracker?.isTracking = true }
    #expect(parent.source.readers == 1)
    parent.source.send(2)
    await store.receive(.tracker(.moved(2))) { $0.tracker?.last = 2 }
    await store.send(.remove) { $0.tracker = nil }
    #expect(parent.source.readers == 0)
    await store.finish()
  }

  @Test("every element has its own subscription, which ends with it")
  func elements() async {
    let parent = Parent()
    let store = TestStore(initialState: Parent.State()) { parent }
    await store.send(.addRows) {
      $0.rows = [Tracker.State(id: 1, isTracking: true), Tracker.State(id: 2, isTracking: true)]
    }
    #expect(parent.source.readers == 2)
    await store.send(.removeRow(1)) { $0.rows.remove(id: 1) }
    #expect(parent.source.readers == 1)
    parent.source.send(9)
    await store.receive(\.rows[id: 2].moved, 9) { $0.rows[id: 2]?.last = 9 }
    await store.send(.removeRow(2)) { $0.rows = [] }
    #expect(parent.source.readers == 0)
  }

  @Test("a hand-written wrapper that does not pass supervision on is reported")
  func wrapper() async {
    let store = TestStore(initialState: Tracker.State()) { Wrapper(base: Tracker()) }
    let messages = await issues { await store.send(.track(true)) { $0.isTracking = true } }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("does not pass on supervise"))
  }
}
