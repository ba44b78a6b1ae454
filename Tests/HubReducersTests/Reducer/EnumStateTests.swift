// Tests children on the cases of an enum state, and presentation.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Screen {
  struct State: Equatable {
    var taps = 0
  }

  enum Action: Equatable, Sendable {
    case tap
    case task
  }

  var name: String
  var log: Log<String>

  var body: some ReducerOf<Self> {
    Reduce { [name, log] state, action in
      switch action {
      case .tap:
        state.taps += 1
        return .none
      case .task:
        return .run { _ in
          await never()
          log.append("end \(name)")
        }
      }
    }
  }
}

@Reducer
private struct App {
  enum State: Equatable {
    case login(Screen.State)
    case home(Screen.State)
  }

  enum Action: Equatable, Sendable {
    case login(Screen.Action)
    case home(Screen.Action)
    case enter
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Scope(state: \.home, action: \.home) { Screen(name: "home", log: log) }
    Reduce { state, action in
      switch action {
      case .enter: state = .home(Screen.State())
      case .login(.tap):
        if case .login(let login) = state, login.taps == 2 { state = .home(Screen.State(taps: 100)) }
      default: break
      }
      return .none
    }
    .ifCaseLet(\.login, action: \.login) { Screen(name: "login", log: log) }
  }
}

@Reducer
private struct Presenter {
  struct State: Equatable {
    var sheet: Screen.State?
    var dismissals = 0
  }

  enum Action: Equatable, Sendable {
    case sheet(PresentationAction<Screen.Action>)
    case show
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .show: state.sheet = Screen.State()
      case .sheet(.dismiss): state.dismissals += state.sheet == nil ? 100 : 1
      case .sheet: break
      }
      return .none
    }
    .ifLet(\.sheet, action: \.sheet) { Screen(name: "sheet", log: log) }
  }
}

/// A child with an identity on a case.
@Reducer
private struct Rooms {
  @CasePathable
  enum State: Equatable {
    case room(Room.State)
  }

  enum Action: Equatable, Sendable {
    case room(Room.Action)
    case open(Int)
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Scope(state: \.room, action: \.room) { Room(log: log) }
    Reduce { state, action in
      if case .open(let id) = action { state = .room(Room.State(id: id)) }
      return .none
    }
  }
}

@Reducer
private struct Room {
  struct State: Equatable, Identifiable { var id: Int }
  enum Action: Equatable, Sendable { case task }

  var log: Log<String>

  var body: some ReducerOf<Self> {
    Reduce { [log] state, _ in
      .run { [id = state.id] _ in
        await never()
        log.append("end \(id)")
      }
    }
  }
}

@Suite struct EnumStateTests {
  @Test("another child on the same case ends the first one's effects")
  func anotherOnTheCase() async {
    let rooms = Rooms()
    let store = TestStore(initialState: .room(Room.State(id: 1))) { rooms }
    await store.send(.room(.task))
    await store.send(.open(1))
    #expect(rooms.log.entries == [])
    await store.send(.open(2)) { $0 = .room(Room.State(id: 2)) }
    #expect(rooms.log.entries == ["end 1"])
    await store.finish()
  }

  @Test("a child on a case runs before its parent switches to another")
  func ifCaseLet() async {
    let store = TestStore(initialState: .login(Screen.State())) { App() }
    await store.send(.login(.tap)) { $0 = .login(Screen.State(taps: 1)) }
    await store.send(.login(.tap)) { $0 = .home(Screen.State(taps: 100)) }
    await store.send(.home(.tap)) { $0 = .home(Screen.State(taps: 101)) }
  }

  @Test("leaving the case ends the child's effects, through ifCaseLet and through Scope")
  func leaving() async {
    let app = App()
    let store = TestStore(initialState: .login(Screen.State())) { app }
    await store.send(.login(.task))
    await store.send(.enter) { $0 = .home(Screen.State()) }
    #expect(app.log.entries == ["end login"])
    await store.finish()
  }

  @Test("an action for another case's child is reported")
  func wrongCase() async {
    let store = TestStore(initialState: .home(Screen.State())) { App() }
    let messages = await issues { await store.send(.login(.tap)) }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("in another case"))
    let other = TestStore(initialState: .login(Screen.State())) { App() }
    #expect(await issues { await other.send(.home(.tap)) }.count == 1)
  }

  @Test("dismissing sets the state to nil after the parent saw it, and ends the effects")
  func dismiss() async {
    let presenter = Presenter()
    let store = TestStore(initialState: Presenter.State()) { presenter }
    await store.send(.show) { $0.sheet = Screen.State() }
    await store.send(\.sheet.presented.tap) { $0.sheet?.taps = 1 }
    await store.send(\.sheet.presented.task)
    await store.send(\.sheet.dismiss) {
      $0.sheet = nil
      $0.dismissals = 1
    }
    #expect(presenter.log.entries == ["end sheet"])
    #expect(await issues { await store.send(\.sheet.dismiss) { $0.dismissals = 101 } }.count == 1)
  }
}
