// Tests children in a property with `@Presents`, and how a child has itself dismissed.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Child {
  struct State: Equatable {
    var count = 0
    @Presents var child: Child.State?
  }

  indirect enum Action: Equatable, Sendable {
    case increment
    case close
    case closeThenIncrement
    case wait
    case present
    case child(PresentationAction<Action>)
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count += isPresented ? 1 : 100
        return .none
      case .close: return .run { _ in await dismiss() }
      case .closeThenIncrement:
        return .run { send in
          await dismiss()
          await send(.increment)
        }
      case .wait: return .run { _ in await never() }
      case .present:
        state.child = State()
        return .none
      case .child: return .none
      }
    }
    Grandchildren()
  }
}

/// The child's own children, apart because a body cannot contain itself.
private struct Grandchildren: Reducer {
  func reduce(into state: inout Child.State, action: Child.Action) -> Effect<Child.Action> {
    EmptyReducer<Child.State, Child.Action>().ifLet(\.$child, action: \.child) { Child() }
      .reduce(into: &state, action: action)
  }
}

@Reducer
private struct Parent {
  struct State: Equatable {
    @Presents var child: Child.State?
    var seen: [Int] = []
  }

  enum Action: Equatable, Sendable {
    case child(PresentationAction<Child.Action>)
    case present
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .present:
        state.child = Child.State()
      case .child(.dismiss):
        state.seen.append(state.child?.count ?? -1)
      case .child: break
      }
      return .none
    }
    .ifLet(\.$child, action: \.child) { Child() }
  }
}

@Suite("A child that is presented")
struct DismissTests {
  @Test("a property with @Presents begins with nothing and is set like any optional")
  func property() {
    var state = Parent.State()
    #expect(state.child == nil)
    state.child = Child.State(count: 1)
    state.child?.count += 1
    #expect(state.child?.count == 2)
    #expect(state != Parent.State())
    #expect(Parent.State(child: Child.State(count: 2)) == state)
    state.$child = PresentationState(wrappedValue: nil)
    #expect(state.child == nil)
  }

  @Test("the payload of a presented case is read and changed through the projection")
  func caseSubscript() {
    var destination = PresentationState<Result<Int, Never>?>(wrappedValue: .some(.some(.success(1))))
    #expect(destination[case: \.some] == .success(1))
    destination[case: \.some.success]? += 1
    #expect(destination.wrappedValue == .some(.success(2)))
    destination[case: \.some] = nil
    #expect(destination.wrappedValue == nil)
  }

  @Test("a case that is not presented cannot be changed, which is reported")
  func otherCase() {
    var number = PresentationState<Result<Int, Unimplemented>>(wrappedValue: .success(1))
    let messages = issues { number[case: \.failure] = Unimplemented("x") }
    #expect(messages.count == 1 && messages[0].contains("success"))
    #expect(number[case: \.success] == 1)
  }

  @Test("a child that asks for it is dismissed by its parent's action")
  func dismissal() async {
    let store = TestStore(initialState: Parent.State()) { Parent() }
    await store.send(.present) { $0.child = Child.State() }
    await store.send(\.child.increment) { $0.child?.count = 1 }
    await store.send(.child(.presented(.close)))
    await store.receive(\.child.dismiss) {
      $0.child = nil
      $0.seen = [1]
    }
    #expect(!store.isDismissed)
  }

  @Test("nothing that follows the dismissal in the effect is sent")
  func endOfEffect() async {
    let store = TestStore(initialState: Parent.State(child: Child.State())) { Parent() }
    await store.send(.child(.presented(.closeThenIncrement)))
    await store.receive(.child(.dismiss)) {
      $0.child = nil
      $0.seen = [0]
    }
  }

  @Test("of nested children the one that asks is dismissed")
  func nested() async {
    let store = TestStore(initialState: Parent.State(child: Child.State())) { Parent() }
    await store.send(\.child.present) { $0.child?.child = Child.State() }
    await store.send(\.child.child.close)
    await store.receive(\.child.child.dismiss) { $0.child?.child = nil }
  }

  @Test("a feature under test is presented, and the test sees its dismissal, which ends its effects")
  func featureUnderTest() async {
    let store = TestStore(initialState: Child.State()) { Child() }
    await store.send(.increment) { $0.count = 1 }
    #expect(!store.isDismissed)
    await store.send(.wait)
    await store.send(.close)
    #expect(store.isDismissed)
    await store.finish()
  }

  @Test("sending to a feature under test that has dismissed itself fails, and does nothing")
  func sendingToTheDismissed() async {
    let store = TestStore(initialState: Child.State()) { Child() }
    await store.send(.close)
    let messages = await testFailures { await store.send(.increment) { $0.count = 1 } }
    #expect(messages.count == 1 && messages[0].contains("dismissed itself"))
    #expect(store.state.count == 0)
  }

  @Test("a feature that nobody presents knows it, and asking to be dismissed is reported")
  @MainActor
  func unpresented() async {
    let messages = await issues {
      let store = Store(initialState: Child.State()) { Child() }
      store.send(.increment)
      #expect(store.state.count == 100)
      await store.send(.close).finish()
    }
    #expect(messages.count == 1 && messages[0].contains("nothing presents it"))
  }

  @Test("another dismissal can be given, as any dependency")
  func custom() async {
    let log = Log<String>()
    let store = TestStore(initialState: Child.State()) {
      Child()
    } withDependencies: {
      $0.dismiss = DismissEffect { log.append("dismissed") }
    }
    await store.send(.close)
    #expect(log.entries == ["dismissed"])
  }
}
