// Tests alerts and dialogs as data: built, compared, presented, and closed by their own actions.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Files {
  struct State: Equatable {
    @Presents var alert: AlertState<Action.Alert>?
    @Presents var screen: Screen.State?
    var dialog: ConfirmationDialogState<Action.Dialog>?
    var files = 1
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case alert(PresentationAction<Alert>)
    case dialog(PresentationAction<Dialog>)
    case screen(PresentationAction<Screen.Action>)
    case delete

    @CasePathable
    enum Alert: Equatable, Sendable { case confirmed, asked }
    @CasePathable
    enum Dialog: Equatable, Sendable { case picked(Int) }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .delete: state.alert = .deletion
      case .alert(.presented(.confirmed)): state.files -= 1
      case .alert(.presented(.asked)): state.alert = .deletion
      case .dialog(.presented(.picked(let count))): state.files = count
      case .alert, .dialog, .screen: break
      }
      return .none
    }
    .ifLet(\.$alert, action: \.alert)
    .ifLet(\.dialog, action: \.dialog)
    .ifLet(\.$screen, action: \.screen)
  }
}

extension AlertState<Files.Action.Alert> {
  fileprivate static var deletion: Self {
    AlertState {
      TextState("Delete ") + TextState(verbatim: "it?")
    } actions: {
      ButtonState(role: .destructive, action: .confirmed) { TextState("Delete") }
      ButtonState(action: .send(.asked)) { TextState("Ask again") }
      ButtonState(role: .cancel) { TextState("Cancel") }
    } message: {
      TextState("It is gone then.")
    }
  }
}

@Reducer
private struct Editor {
  struct State: Equatable { var text = "" }
  enum Action: Equatable, Sendable { case typed(String) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .typed(let text): state.text = text
      }
      return .none
    }
  }
}

@Reducer
private enum Screen {
  case alert(AlertState<Question>)
  case editor(Editor)

  @CasePathable
  enum Question: Equatable, Sendable { case yes }
}

extension Screen.State: Equatable {}
extension Screen.Action: Equatable, Sendable {}

@Suite struct AlertTests {
  private func store(_ change: (inout Files.State) -> Void = { _ in }) -> TestStoreOf<Files> {
    var state = Files.State()
    change(&state)
    return TestStore(initialState: state) { Files() }
  }

  @Test("an alert is compared by what it shows, and closed by its action")
  func closed() async {
    let store = store()
    await store.send(.delete) { $0.alert = .deletion }
    await store.send(\.alert.confirmed) {
      $0.alert = nil
      $0.files = 0
    }
  }

  @Test("an alert that the feature presents while it handles an action stays")
  func replaced() async {
    let store = store { $0.alert = .deletion }
    await store.send(\.alert.asked)
    #expect(store.state.alert != nil)
    await store.send(\.alert.dismiss) { $0.alert = nil }
  }

  @Test("a dialog in a plain optional is closed the same way")
  func dialog() async {
    let dialog = ConfirmationDialogState<Files.Action.Dialog>(titleVisibility: .hidden) {
      TextState("How many?")
    } actions: {
      for count in 1...3 {
        if count != 2 { ButtonState(action: .picked(count)) { TextState("\(count)") } }
      }
    }
    #expect(dialog.buttons.map(\.label.description) == ["1", "3"])
    let store = store { $0.dialog = dialog }
    await store.send(\.dialog.picked, 3) {
      $0.dialog = nil
      $0.files = 3
    }
  }

  @Test("an alert in a feature of several features is closed by its own action only")
  func destination() async {
    let alert = AlertState<Screen.Question> { TextState("Sure?") }
    let store = store { $0.screen = .alert(alert) }
    #expect(await issues { await store.send(\.screen.editor.typed, "a") }.count == 1)
    #expect(store.state.screen == .alert(alert))
    await store.send(\.screen.alert.yes) { $0.screen = nil }
    let editing = self.store { $0.screen = .editor(Editor.State()) }
    await editing.send(\.screen.editor.typed, "a") { $0.screen = .editor(Editor.State(text: "a")) }
  }

  @Test("an alert's actions can be mapped, and its buttons tell theirs")
  func mapped() {
    let alert = AlertState<Files.Action.Alert>.deletion.map { $0.map { "\($0)" } }
    #expect(alert.buttons.map(\.action) == [.send("confirmed"), .send("asked"), .send(nil)])
    #expect(alert.buttons.map(\.role) == [.destructive, nil, .cancel])
    #expect(alert.title == TextState("Delete it?") && String(state: alert.title) == "Delete it?")
    #expect(alert.message == TextState("It is gone then."))
    alert.buttons[2].withAction { #expect($0 == nil) }
  }
}
