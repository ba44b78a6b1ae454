// Tests the articles' number store in memory: present value first, for every subscriber, however late.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable {
    var number = 0
  }

  enum Action: Equatable, Sendable {
    case task
    case newNumberReceived(Int)
    case addOneTapped
  }

  @Dependency(\.numberStore) var numberStore

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task: return .none
      case .newNumberReceived(let number):
        state.number = number
        return .none
      case .addOneTapped:
        return .run { [number = state.number] _ in await numberStore.updateValue(number + 1) }
      }
    }
    .subscribe(to: numberStore.value, on: \.task, with: \.newNumberReceived)
  }
}

@Suite struct NumberStoreTests {
  @Test("a feature follows and sets the number, and a late one is up to date at once")
  func inMemory() async {
    let numberStore = NumberStore.inMemory(3)
    func makeStore() -> TestStoreOf<Feature> {
      TestStore(initialState: Feature.State()) {
        Feature()
      } withDependencies: {
        $0.numberStore = numberStore
      }
    }
    let first = makeStore()
    let task = await first.send(.task)
    await first.receive(.newNumberReceived(3)) { $0.number = 3 }
    await first.send(.addOneTapped)
    await first.receive(.newNumberReceived(4)) { $0.number = 4 }

    let second = makeStore()
    let secondTask = await second.send(.task)
    await second.receive(.newNumberReceived(4)) { $0.number = 4 }
    await second.send(.addOneTapped)
    await second.receive(.newNumberReceived(5)) { $0.number = 5 }
    await first.receive(.newNumberReceived(5)) { $0.number = 5 }
    await task.cancel()
    await secondTask.cancel()
  }

  @Test("every reader of one live number sees what any of them sets")
  func sharedInTheProcess() async {
    await withDependencies {
      $0.context = .live
      $0.numberStore = .inMemory(0)
    } operation: {
      @Dependency(\.numberStore) var one
      @Dependency(\.numberStore) var other
      await one.updateValue(8)
      for await number in await other.value() {
        #expect(number == 8)
        break
      }
    }
  }

  @Test("in tests an endpoint that was not given fails, by name")
  func unimplemented() async {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    let messages = await issues {
      await store.send(.task)
      await store.send(.addOneTapped)
    }
    #expect(messages.count == 2)
    #expect((messages.first ?? "").contains("NumberStore.value"))
    #expect((messages.last ?? "").contains("NumberStore.updateValue"))
  }

  @Test("in previews there is a number that works")
  func preview() async {
    let number = withDependencies {
      $0.context = .preview
    } operation: {
      Dependency(\.numberStore).wrappedValue
    }
    await number.updateValue(2)
    for await value in await number.value() {
      #expect(value == 2)
      break
    }
  }
}
