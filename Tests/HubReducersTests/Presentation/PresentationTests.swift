// Tests children that are presented: whose effects end when, and what dismissing leaves.

import HubReducers
import HubReducersTesting
import Testing

/// A child with an identity, which follows something for as long as it is there.
@Reducer
private struct Sheet {
  struct State: Equatable, Identifiable {
    var id: Int
    var heard: [Int] = []
  }

  enum Action: Equatable, Sendable {
    case task
    case heard(Int)
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { [log] state, action in
      switch action {
      case .task:
        return .run { [id = state.id] send in
          await never()
          log.append("end \(id)")
        }
      case .heard(let number):
        state.heard.append(number)
        return .none
      }
    }
  }
}

/// A child without an identity.
@Reducer
private struct Banner {
  struct State: Equatable { var text = "" }
  enum Action: Equatable, Sendable { case task }
  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
private struct Presenter {
  struct State: Equatable {
    var sheet: Sheet.State?
    var banner: Banner.State?
    /// What takes the place of a child that is dismissed.
    var next: Sheet.State?
  }

  enum Action: Equatable, Sendable {
    case sheet(PresentationAction<Sheet.Action>)
    case banner(PresentationAction<Banner.Action>)
    case show(Int)
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .show(let id): state.sheet = Sheet.State(id: id)
      case .sheet(.dismiss): if let next = state.next { state.sheet = next }
      case .banner(.dismiss): state.banner = Banner.State(text: "gone")
      case .sheet, .banner: break
      }
      return .none
    }
    .ifLet(\.sheet, action: \.sheet) { Sheet(log: log) }
    .ifLet(\.banner, action: \.banner) { Banner() }
  }
}

@Suite struct PresentationTests {
  @Test("another presented child in its place ends the first one's effects; the same one does not")
  func replacement() async {
    let presenter = Presenter()
    let store = TestStore(initialState: Presenter.State()) { presenter }
    await store.send(.show(1)) { $0.sheet = Sheet.State(id: 1) }
    await store.send(\.sheet.presented.task)
    await store.send(.show(1))
    #expect(presenter.log.entries == [])
    await store.send(.show(2)) { $0.sheet = Sheet.State(id: 2) }
    #expect(presenter.log.entries == ["end 1"])
    await store.finish()
  }

  @Test("a child that takes the place of a dismissed one in the same action stays")
  func replacementOnDismissal() async {
    let presenter = Presenter()
    let store = TestStore(
      initialState: Presenter.State(sheet: Sheet.State(id: 1), next: Sheet.State(id: 2))
    ) { presenter }
    await store.send(\.sheet.presented.task)
    await store.send(\.sheet.dismiss) { $0.sheet = Sheet.State(id: 2) }
    #expect(presenter.log.entries == ["end 1"])
    await store.finish()
  }

  @Test("a dismissed child that its parent only changes goes away")
  func changeOnDismissal() async {
    let next = Sheet.State(id: 1, heard: [5])
    let store = TestStore(
      initialState: Presenter.State(sheet: Sheet.State(id: 1), banner: Banner.State(), next: next)
    ) { Presenter() }
    await store.send(\.sheet.dismiss) { $0.sheet = nil }
    await store.send(\.banner.dismiss) { $0.banner = nil }
  }

  @Test("dismissing what is not presented is reported, and takes nothing away")
  func nothingPresented() async {
    let store = TestStore(initialState: Presenter.State(next: Sheet.State(id: 1))) { Presenter() }
    let messages = await issues {
      await store.send(\.sheet.dismiss) { $0.sheet = Sheet.State(id: 1) }
    }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("not presented"))
  }
}
