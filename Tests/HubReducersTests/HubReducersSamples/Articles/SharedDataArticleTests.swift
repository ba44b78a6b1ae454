// The code of the article "Shared data in a TCA app" (Oliver Foggin, 2023-12-13), against a real hub.
//
// Changed: the view is a task that comes and goes (no SwiftUI here); `@Published` and the publisher's `streamValues` (no
// Combine) are the hub's store and its stream; the article leaves out the conformance and the property that make the
// client a dependency.

import HubReducers
import TestSupport
import Testing

@DependencyClient
private struct NumberStore {
  var value: @Sendable () async -> AsyncStream<Int>
  var updateValue: @Sendable (Int) async -> Void
}

extension NumberStore: DependencyKey {
  static var liveValue: Self {
    @Dependency(\.hub) var hub
    let storage = hub.value("number", of: Int.self)

    return .init(
      value: {
        storage.stream(or: 0)
      },
      updateValue: {
        _ = try? await storage.set($0)
      }
    )
  }
}

extension DependencyValues {
  fileprivate var numberStore: NumberStore {
    get { self[NumberStore.self] }
    set { self[NumberStore.self] = newValue }
  }
}

@Reducer
private struct SomeFeature {
  struct State {
    var number: Int = 0
  }

  enum Action {
    case task  // the convention is to use the task name to mirror the view task
    case newNumberReceived(Int)
    case updateValueButtonTapped(Int)
  }

  @Dependency(\.numberStore) var numberStore

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task:
        return .run { send in
          for await value in await numberStore.value() {
            await send(.newNumberReceived(value))
          }
        }

      case .newNumberReceived(let value):
        state.number = value
        return .none

      case .updateValueButtonTapped(let value):
        return .run { _ in
          await numberStore.updateValue(value)
        }
      }
    }
  }
}

@MainActor
private struct NumberView {
  let store: StoreOf<SomeFeature>

  /// The view is on screen for as long as the task runs.
  func task() async { await store.send(.task).finish() }

  func addOneButtonTapped() {
    store.send(.updateValueButtonTapped(store.state.number + 1))
  }

  /// The view shows the number.
  func shows(_ number: Int) async {
    for await state in store.states where state.number == number { break }
  }
}

@Suite struct SharedDataArticleTests {
  /// A part of an app: its own reducers, over the one live number of its process.
  @MainActor
  private func view(_ hub: Hub) -> NumberView {
    NumberView(
      store: Store(initialState: SomeFeature.State()) {
        SomeFeature()
      } withDependencies: {
        $0.hub = hub
        $0.numberStore = HubReducers.withDependencies {
          $0.hub = hub
        } operation: {
          .liveValue
        }
      })
  }

  @Test("the view shows what any part of any app sets, for as long as it is on screen")
  @MainActor func article() async throws {
    let real = try RealHub()
    let (first, second) = (view(real.hub), view(real.hub))
    let firstOnScreen = Task { await first.task() }
    let secondOnScreen = Task { await second.task() }
    for number in 1...3 {
      first.addOneButtonTapped()
      await first.shows(number)
      await second.shows(number)
    }
    // Another program, and a view that comes late.
    try await real.other.value("number").set(40)
    await first.shows(40)
    let late = view(real.hub)
    let lateOnScreen = Task { await late.task() }
    await late.shows(40)
    late.addOneButtonTapped()
    await second.shows(41)
    for view in [firstOnScreen, secondOnScreen, lateOnScreen] {
      view.cancel()
      await view.value
    }
    try await real.waitForWatchers(0, of: "number")
    #expect(try await real.other.value("number", of: Int.self).get() == 41)
  }
}
