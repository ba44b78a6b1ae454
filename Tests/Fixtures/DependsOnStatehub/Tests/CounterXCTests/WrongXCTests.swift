// Tests that are wrong on purpose: each has to fail, in the line that says so, also if it runs alone.
// XCTest and the library are all that this file imports.

import CounterFeature
import HubReducers
import HubReducersSamples
import HubReducersTesting
import XCTest

final class WrongXCTests: XCTestCase {
  func testWrongState() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    await store.send(.numberChanged(1)) { $0.number = 2 }  // FAILS testWrongState
  }

  func testForgottenReceive() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }  // FAILS testForgottenReceive
    let task = await store.send(.task)
    await store.send(.incrementTapped)
    await task.cancel()
  }

  func testForgottenEffect() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }  // FAILS testForgottenEffect
    await store.send(.task)
  }

  @MainActor
  func testPlainStore() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, _ in
        .run { _ in throw CancelledByMistake() }  // FAILS testPlainStore
      }
    }
    await store.send(0).finish()
  }

  func testAnalytics() async {
    let store = TestStore(initialState: 0) {
      EmptyReducer<Int, Int>()
    } withDependencies: {
      $0.analyticsClient.expect(.event(name: "Tapped"))  // FAILS testAnalytics
    }
    await store.send(0)
  }

  /// The store outlives the test, and so does its failure.
  func testAfterwards() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }  // FAILS afterwards
    Afterwards.store = store
    await store.send(.task)
  }

  override class func tearDown() { Afterwards.store = nil }
}

enum Afterwards {
  nonisolated(unsafe) static var store: TestStore<Counter.State, Counter.Action>?
}

struct CancelledByMistake: Error {}
