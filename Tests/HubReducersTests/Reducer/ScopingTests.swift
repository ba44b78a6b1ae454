// Tests children on a part of the state: Scope, ifLet, ifCaseLet, forEach, and when their effects end.

import HubReducers
import HubReducersTesting
import Testing

/// A child that counts, follows a stream and remembers what it saw.
@Reducer
private struct Child {
  struct State: Equatable, Identifiable {
    var id = 0
    var count = 0
    var parentSaw = 0
  }

  enum Action: Equatable, Sendable {
    case tap
    case task
    case got(Int)
    case stop
    case delayed
    case leave
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { [log] state, action in
      switch action {
      case .tap:
        state.count += 1
        return .none
      case .task:
        return .run { [id = state.id] send in
          log.append("start \(id)")
          await never()
          log.append("end \(id)")
          await send(.got(1))
        }.cancellable(id: "task")
      case .got(let number):
        state.count += number
        return .none
      case .stop:
        return .cancel(id: "task")
      case .delayed:
        return .run { send in await send(.tap) }
      case .leave:
        return .none
      }
    }
  }
}

@Reducer
private struct Parent {
  struct State: Equatable {
    var left = Child.State()
    var right = Child.State()
    var sheet: Child.State?
    var rows: IdentifiedArrayOf<Child.State> = []
    var list: [Child.State] = []
  }

  enum Action: Equatable, Sendable {
    case left(Child.Action)
    case right(Child.Action)
    case sheet(Child.Action)
    case rows(IdentifiedActionOf<Child>)
    case list(IdentifiedActionOf<Child>)
    case show(Int?)
    case remove(Int)
    case stopAll
    case taskAndRemove
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Scope(state: \.left, action: \.left) { Child(log: log) }
    Scope(\.right, action: \.right) { Child(log: log) }
    Reduce { state, action in
      switch action {
      case .show(let id):
        state.sheet = id.map { Child.State(id: $0) }
      case .remove(let id):
        state.rows.remove(id: id)
        state.list.removeAll { $0.id == id }
      case .sheet(.leave):
        // The child has seen the action before its state goes away.
        state.left.parentSaw = state.sheet?.count ?? -1
        state.sheet = nil
      case .rows(.element(let id, .leave)):
        state.rows.remove(id: id)
      case .stopAll:
        return .cancel(id: "task")
      default: break
      }
      return .none
    }
    .ifLet(\.sheet, action: \.sheet) { Child(log: log) }
    .forEach(\.rows, action: \.rows) { Child(log: log) }
    .forEach(\.list, action: \.list) { Child(log: log) }
  }
}

@Suite struct ScopingTests {
  @Test("a scoped child changes its part only, and its effects come back to it")
  func scope() async {
    let store = TestStore(initialState: Parent.State()) { Parent() }
    await store.send(\.left.tap) { $0.left.count = 1 }
    await store.send(\.right.delayed)
    await store.receive(\.right.tap) { $0.right.count = 1 }
  }

  @Test("siblings' cancel ids never meet; a parent's reaches them all")
  func namespaces() async {
    let parent = Parent()
    let store = TestStore(
      initialState: Parent.State(left: Child.State(id: 1), right: Child.State(id: 2))
    ) { parent }
    await store.send(\.left.task)
    await store.send(\.right.task)
    await store.send(\.left.stop)
    #expect(parent.log.entries == ["start 1", "start 2", "end 1"])
    await store.send(\.left.task)
    await store.send(\.stopAll)
    await store.finish()
    #expect(parent.log.entries.suffix(3).sorted() == ["end 1", "end 2", "start 1"])
  }

  @Test("an optional child sees an action before its parent removes it")
  func childFirst() async {
    let store = TestStore(initialState: Parent.State(sheet: Child.State(count: 6))) { Parent() }
    await store.send(.sheet(.tap)) { $0.sheet?.count = 7 }
    await store.send(.sheet(.leave)) {
      $0.left.parentSaw = 7
      $0.sheet = nil
    }
  }

  @Test("a child that goes away ends its effects, in the same action")
  func childEnds() async {
    let parent = Parent()
    let store = TestStore(initialState: Parent.State()) { parent }
    await store.send(.show(1)) { $0.sheet = Child.State(id: 1) }
    await store.send(.sheet(.task))
    await store.send(.sheet(.leave)) {
      $0.left.parentSaw = 0
      $0.sheet = nil
    }
    await store.finish()
    #expect(parent.log.entries == ["start 1", "end 1"])
  }

  @Test("another child in its place ends the first one's effects; the same one does not")
  func identity() async {
    let parent = Parent()
    let store = TestStore(initialState: Parent.State()) { parent }
    await store.send(.show(1)) { $0.sheet = Child.State(id: 1) }
    await store.send(.sheet(.task))
    await store.send(.show(1))
    #expect(parent.log.entries == ["start 1"])
    await store.send(.show(2)) { $0.sheet?.id = 2 }
    #expect(parent.log.entries == ["start 1", "end 1"])
    await store.finish()
  }

  @Test("an action for a child that is not there is reported and ignored")
  func missing() async {
    let store = TestStore(initialState: Parent.State()) { Parent() }
    let messages = await issues {
      await store.send(.sheet(.tap))
      await store.send(.rows(.element(id: 3, action: .tap)))
      await store.send(.list(.element(id: 3, action: .tap)))
    }
    #expect(messages.count == 3)
    #expect((messages.first ?? "").contains("optional state is nil"))
    #expect((messages.last ?? "").contains("no element with the id 3"))
  }

  @Test("an element gets its own actions, in an identified array and in a plain one")
  func elements() async {
    let rows = [Child.State(id: 1), Child.State(id: 2)]
    let store = TestStore(
      initialState: Parent.State(rows: IdentifiedArray(uniqueElements: rows), list: rows)
    ) { Parent() }
    await store.send(\.rows[id: 2].tap) { $0.rows[id: 2]?.count = 1 }
    await store.send(\.list[id: 1].delayed)
    await store.receive(\.list[id: 1].tap) { $0.list[0].count = 1 }
  }

  @Test("an element that is removed ends its effects and no other's")
  func elementEnds() async {
    let parent = Parent()
    let rows = [Child.State(id: 1), Child.State(id: 2)]
    let store = TestStore(
      initialState: Parent.State(rows: IdentifiedArray(uniqueElements: rows), list: rows)
    ) { parent }
    await store.send(\.rows[id: 1].task)
    await store.send(\.rows[id: 2].task)
    await store.send(\.list[id: 2].task)
    await store.send(.remove(1)) {
      $0.rows.remove(id: 1)
      $0.list.remove(at: 0)
    }
    #expect(parent.log.entries == ["start 1", "start 2", "start 2", "end 1"])
    await store.send(\.rows[id: 2].leave) { $0.rows = [] }
    #expect(parent.log.entries.count == 5)
    await store.cancelInFlightEffects()
  }

  @Test("one element's cancel ids do not reach another's")
  func elementNamespaces() async {
    let parent = Parent()
    let store = TestStore(
      initialState: Parent.State(rows: [Child.State(id: 1), Child.State(id: 2)])
    ) { parent }
    await store.send(\.rows[id: 1].task)
    await store.send(\.rows[id: 2].task)
    await store.send(\.rows[id: 1].stop)
    #expect(parent.log.entries == ["start 1", "start 2", "end 1"])
    await store.cancelInFlightEffects()
  }
}
