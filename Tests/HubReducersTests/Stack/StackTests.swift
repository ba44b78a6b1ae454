// Tests stacks: their ids, what actions do to them, and how long their elements' effects live.

import Foundation
import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Screen {
  struct State: Equatable, Codable, Sendable { var count = 0 }

  enum Action: Equatable, Sendable {
    case increment
    case close
    case wait
  }

  var log = Log<String>()
  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { [log] state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .close: return .run { _ in await dismiss() }
      case .wait:
        return .run { [count = state.count] _ in
          await never()
          log.append("end \(count)")
        }
      }
    }
  }
}

@Reducer
private struct Root {
  struct State: Equatable {
    var path = StackState<Screen.State>()
    var seen: [StackElementID] = []
  }

  enum Action: Equatable, Sendable {
    case path(StackActionOf<Screen>)
    case add(Int)
    case removeLast
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .add(let count): state.path.append(Screen.State(count: count))
      case .removeLast: state.path.removeLast()
      case .path(.popFrom), .path(.push): state.seen = state.path.ids
      case .path: break
      }
      return .none
    }
    .forEach(\.path, action: \.path) { [log] in Screen(log: log) }
  }
}

@Suite("A stack", .dependencies())
struct StackTests {
  @Test("gives every new element an id, and keeps the ids of the others")
  func ids() {
    var stack = StackState([1, 2])
    #expect(stack.ids == [0, 1])
    stack[0] = 5
    stack.append(3)
    stack.removeFirst()
    #expect(stack.ids == [1, 2] && Array(stack) == [2, 3])
    stack[id: 1] = nil
    #expect(stack.ids == [2] && stack[id: 1] == nil)
  }

  @Test("stacks are equal if their ids and elements are")
  func equality() {
    let stack = StackState([1])
    #expect(stack != StackState([1]))
    #expect(stack == stack)
  }

  @Test("is popped from an element on, or down to one")
  func pop() {
    var stack = StackState([1, 2, 3, 4])
    stack.pop(to: 2)
    #expect(Array(stack) == [1, 2, 3])
    stack.pop(from: 1)
    #expect(Array(stack) == [1])
    stack.pop(from: 9)
    stack.pop(to: 9)
    #expect(Array(stack) == [1])
  }

  @Test("outside of tests a missing element cannot be set, which is reported")
  func missingElement() {
    var stack = StackState([1])
    stack[id: 7] = 2
    #expect(Array(stack) == [1, 2])
    let messages = withDependencies {
      $0.context = .live
    } operation: {
      issues { stack[id: 8] = 3 }
    }
    #expect(messages.count == 1 && messages[0].contains("#8"))
    #expect(Array(stack) == [1, 2])
  }

  @Test("is encoded as its elements, which get new ids when it is decoded")
  func coding() throws {
    let stack = StackState([Screen.State(count: 1)])
    let decoded = try JSONDecoder().decode(
      StackState<Screen.State>.self, from: JSONEncoder().encode(stack))
    #expect(Array(decoded) == Array(stack))
    #expect(decoded.ids == [1])
  }

  @Test("a test puts elements on it with the ids that the reducer gives them")
  func idsInTests() async {
    let store = TestStore(initialState: Root.State(path: StackState([Screen.State()]))) { Root() }
    await store.send(.add(1)) { $0.path.append(Screen.State(count: 1)) }
    await store.send(.add(2)) { $0.path[id: 2] = Screen.State(count: 2) }
    #expect(store.state.path.ids == [0, 1, 2])
  }

  @Test("an element's action reaches that element, then the parent")
  func elements() async {
    let store = TestStore(initialState: Root.State(path: StackState([Screen.State(), Screen.State()]))) {
      Root()
    }
    await store.send(\.path[id: 1].increment) { $0.path[id: 1]?.count = 1 }
    await store.send(.path(.element(id: 0, action: .increment))) { $0.path[id: 0]?.count = 1 }
  }

  @Test("an element is pushed before the parent sees it, and popped with those above it afterwards")
  func pushAndPop() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    await store.send(.path(.push(id: 0, state: Screen.State(count: 3)))) {
      $0.path[id: 0] = Screen.State(count: 3)
      $0.seen = [0]
    }
    await store.send(.add(4)) { $0.path.append(Screen.State(count: 4)) }
    await store.send(\.path.popFrom, 0) {
      $0.path = StackState()
      $0.seen = [0, 1]
    }
  }

  @Test("an element that asks to be dismissed is popped, and its effects end with it")
  func dismissal() async {
    let log = Log<String>()
    let store = TestStore(initialState: Root.State()) { Root(log: log) }
    await store.send(.add(1)) { $0.path.append(Screen.State(count: 1)) }
    await store.send(.add(2)) { $0.path.append(Screen.State(count: 2)) }
    await store.send(\.path[id: 0].wait)
    await store.send(\.path[id: 1].wait)
    await store.send(\.path[id: 1].close)
    await store.receive(\.path.popFrom) {
      $0.path.removeLast()
      $0.seen = [0, 1]
    }
    #expect(log.entries == ["end 2"])
    await store.send(.removeLast) { $0.path = StackState() }
    #expect(log.entries == ["end 2", "end 1"])
  }

  @Test(
    "what cannot be done is reported: an action for a missing element, popping it, pushing one that is there or to come",
    arguments: [
      (Root.Action.path(.element(id: 9, action: .increment)), "no element with the id #9"),
      (.path(.popFrom(id: 9)), "#9 was to be removed"),
      (.path(.push(id: 0, state: Screen.State())), "#0 cannot be pushed: it is already on the stack"),
      (.path(.push(id: 5, state: Screen.State())), "the next one is #1"),
    ])
  fileprivate func mistakes(action: Root.Action, message: String) async {
    let messages = await issues {
      let store = TestStore(initialState: Root.State(path: StackState([Screen.State()]))) { Root() }
      store.exhaustivity = .off
      await store.send(action)
    }
    #expect(messages.count == 1 && messages[0].contains(message), "\(messages)")
  }
}
