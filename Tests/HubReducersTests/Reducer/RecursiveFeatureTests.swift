// Tests features that contain themselves: as an optional child, in a row, on an enum's case, with their subscriptions.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Folder {
  struct State: Equatable, Identifiable, Sendable {
    let id: Int
    var opened = 0
    var folders: IdentifiedArrayOf<State> = []
    var preview: PresentationState<Screen.State> = PresentationState(wrappedValue: nil)
    var isFollowing = false
    var news: [Int] = []
  }

  enum Action {
    case open
    case close
    case task
    case follow
    case news(Int)
    indirect case folders(IdentifiedAction<Int, Action>)
    indirect case preview(PresentationAction<Screen.Action>)
  }

  @Dependency(\.depth) var depth

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .open: state.opened += depth
      case .task: return .run { _ in try await Task.never() }
      case .follow: state.isFollowing = true
      case .news(let number): state.news.append(number)
      case .folders(.element(let id, .close)): state.folders.remove(id: id)
      case .close, .folders, .preview: break
      }
      return .none
    }
    .forEach(\.folders, action: \.folders) { Folder().transformDependency(\.depth) { $0 += 1 } }
    .ifLet(\.preview, action: \.preview) { Screen() }
    .subscribe(to: SequenceSource { AsyncStream<Int> { $0.yield(7) } }, while: \.isFollowing, with: \.news)
  }
}

@Reducer
private struct Screen {
  @CasePathable
  enum State: Equatable, Sendable {
    indirect case folder(Folder.State)
  }

  @CasePathable
  enum Action {
    indirect case folder(Folder.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.folder, action: \.folder) { Folder() }
  }
}

private enum DepthKey: DependencyKey {
  static let liveValue = 1
  static let testValue = 1
}

extension DependencyValues {
  fileprivate var depth: Int {
    get { self[DepthKey.self] }
    set { self[DepthKey.self] = newValue }
  }
}

@Suite("A feature that contains itself")
struct RecursiveFeatureTests {
  private static let tree = Folder.State(
    id: 1,
    folders: [
      Folder.State(
        id: 2, folders: [Folder.State(id: 3)],
        preview: PresentationState(wrappedValue: .folder(Folder.State(id: 4))))
    ])

  @Test("runs at each depth, with the dependencies of its depth")
  func depths() async {
    let store = TestStore(initialState: Self.tree) { Folder() }
    await store.send(.open) { $0.opened = 1 }
    await store.send(.folders(.element(id: 2, action: .open))) { $0.folders[id: 2]?.opened = 2 }
    await store.send(.folders(.element(id: 2, action: .folders(.element(id: 3, action: .open))))) {
      $0.folders[id: 2]?.folders[id: 3]?.opened = 3
    }
    await store.send(.folders(.element(id: 2, action: .preview(.presented(.folder(.open)))))) {
      $0.folders[id: 2]?.preview.wrappedValue?.modify(\.folder) { $0.opened = 2 }
    }
  }

  @Test("ends the effects of what is removed, at each depth")
  func removal() async {
    let store = TestStore(initialState: Self.tree) { Folder() }
    let task = await store.send(.folders(.element(id: 2, action: .folders(.element(id: 3, action: .task)))))
    await store.send(.folders(.element(id: 2, action: .close))) { $0.folders = [] }
    await task.finish()
  }

  @Test("starts the subscriptions of an inner one, and ends them with it")
  func subscriptions() async {
    let store = TestStore(initialState: Self.tree) { Folder() }
    await store.send(.folders(.element(id: 2, action: .folders(.element(id: 3, action: .follow))))) {
      $0.folders[id: 2]?.folders[id: 3]?.isFollowing = true
    }
    await store.receive(\.folders[id: 2].folders[id: 3].news, 7) {
      $0.folders[id: 2]?.folders[id: 3]?.news = [7]
    }
    await store.send(.folders(.element(id: 2, action: .close))) { $0.folders = [] }
  }
}
