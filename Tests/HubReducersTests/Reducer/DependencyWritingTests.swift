// Tests overriding dependencies for a part of a feature.

import HubReducers
import HubReducersTesting
import Testing

extension DependencyValues {
  fileprivate var word: String {
    get { self[WordKey.self] }
    set { self[WordKey.self] = newValue }
  }
}

private enum WordKey: DependencyKey {
  static var liveValue: String { "default" }
  static var testValue: String { "default" }
}

private struct Reader: Reducer {
  @Dependency(\.word) var word

  func reduce(into state: inout [String], action: Int) -> Effect<Int> {
    state.append(word)
    guard action == 0 else { return .none }
    return .run { [word = _word] send in await send(word.wrappedValue.count) }
  }
}

@Suite struct DependencyWritingTests {
  @Test("an override reaches the reducer and its effects, and ends there")
  func scope() async {
    let store = TestStore(initialState: [String]()) {
      CombineReducers {
        Reader().dependency(\.word, "inner")
        Reader().transformDependency(\.word) { $0 += "!" }
      }
    }
    await store.send(1) { $0 = ["inner", "default!"] }
    await store.send(0) { $0 += ["inner", "default!"] }
    await store.receive(5) { $0 += ["inner", "default!"] }
    await store.receive(8) { $0 += ["inner", "default!"] }
  }

  @Test("of several overrides the closest wins")
  func closest() async {
    let store = TestStore(initialState: [String]()) {
      Reader().dependency(\.word, "inner").dependency(\.word, "outer")
    }
    await store.send(1) { $0 = ["inner"] }
  }

  @Test("a store's own override is the farthest, and can change in a test")
  func storeOverride() async {
    let store = TestStore(initialState: [String]()) {
      Reader()
    } withDependencies: {
      $0.word = "store"
    }
    await store.send(1) { $0 = ["store"] }
    store.dependencies.word = "later"
    await store.send(1) { $0 = ["store", "later"] }
    await store.withDependencies {
      $0.word = "now"
    } operation: {
      _ = await store.send(1) { $0 = ["store", "later", "now"] }
    }
    await store.send(1) { $0 = ["store", "later", "now", "later"] }
  }
}
