// The code of the article "Using custom reducers to make shared data even easier with TCA" (Oliver Foggin, 2024-01-02),
// against a real hub: its streams are stores that another program sets.
//
// Changed: `Reduce { /* ... */ }` has the parameters that every `Reduce` has, and the dependencies that the article
// leaves to its reader are written out.

import HubReducers
import HubReducersTesting
import TestSupport
import Testing

@DependencyClient
private struct MyDependency: Sendable {
  var valueStream: @Sendable () async -> AsyncStream<Int>
  var intStream: @Sendable () async -> AsyncStream<Int>
  var stream: @Sendable () async -> AsyncStream<Int>
  var userStream: @Sendable () async -> AsyncStream<String>
  var chatStream: @Sendable () async -> AsyncStream<String>
  var reactionStream: @Sendable () async -> AsyncStream<String>
}

@DependencyClient
private struct OtherDependency: Sendable {
  var doSomethingElse: @Sendable (_ with: Int) async -> Void
}

extension MyDependency: DependencyKey {
  static var testValue: Self {
    @Dependency(\.hub) var hub
    let number = hub.value("number", of: Int.self)
    func text(_ name: String) -> @Sendable () async -> AsyncStream<String> {
      let value = hub.value(name, of: String.self)
      return { value.stream(or: "") }
    }
    return Self(
      valueStream: { number.stream(or: 0) }, intStream: { number.stream(or: 0) },
      stream: { number.stream(or: 0) }, userStream: text("user"), chatStream: text("chat"),
      reactionStream: text("reaction"))
  }

  static var liveValue: Self { testValue }
}

extension OtherDependency: DependencyKey {
  static var testValue: Self {
    @Dependency(\.hub) var hub
    let sum = hub.value("sum", of: Int.self)
    return Self { number in
      // The next element waits until the hub has answered, which only a test store that is told so waits for.
      _ = try? await withExternalWork("the sum") { try await sum.update(default: 0) { $0 += number } }
    }
  }

  static var liveValue: Self { testValue }
}

private struct Reaction: Equatable, Sendable {
  var payload: String
}

@Reducer
private struct Feature {
  struct State: Equatable {
    var value = 0
    var string = ""
    var responses = 0
    var user = ""
    var chat: [String] = []
    var reactions: [Reaction] = []
  }

  enum Action: Equatable, Sendable {
    case task
    case newValueReceived(Int)
    case newStringReceived(String)
    case some(Some)
    case responseAction
    case newUserDataReceived(String)
    case newChatMessageReceived(String)
    case newReactionReceived(Reaction)

    @CasePathable
    enum Some: Equatable, Sendable {
      case trigger(Trigger)

      @CasePathable
      enum Trigger: Equatable, Sendable {
        case action
      }
    }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task, .some: break
      case .newValueReceived(let value): state.value = value
      case .newStringReceived(let string): state.string = string
      case .responseAction: state.responses += 1
      case .newUserDataReceived(let user): state.user = user
      case .newChatMessageReceived(let message): state.chat.append(message)
      case .newReactionReceived(let reaction): state.reactions.append(reaction)
      }
      return .none
    }
  }
}

/// The article's one line.
@Reducer
private struct OneLine {
  typealias State = Feature.State
  typealias Action = Feature.Action

  @Dependency(MyDependency.self) var myDependency

  var body: some ReducerOf<Self> {
    Feature()
      .subscribe(to: myDependency.valueStream, on: \.task, with: \.newValueReceived)
  }
}

@Reducer
private struct Transformed {
  typealias State = Feature.State
  typealias Action = Feature.Action

  @Dependency(MyDependency.self) var myDependency

  var body: some ReducerOf<Self> {
    Feature()
      .subscribe(to: myDependency.intStream, on: \.task, with: \.newStringReceived) { intValue in
        "\(intValue)"
      }
  }
}

@Reducer
private struct Complex {
  typealias State = Feature.State
  typealias Action = Feature.Action

  @Dependency(MyDependency.self) var myDependency
  @Dependency(OtherDependency.self) var otherDependency

  var body: some ReducerOf<Self> {
    Feature()
      .subscribe(
        to: myDependency.stream,
        on: \.some.trigger.action
      ) { send, streamElement in
        await send(.responseAction)
        await otherDependency.doSomethingElse(with: streamElement)
      }
  }
}

@Reducer
private struct Several {
  typealias State = Feature.State
  typealias Action = Feature.Action

  @Dependency(MyDependency.self) var myDependency

  var body: some ReducerOf<Self> {
    Feature()
      .subscribe(to: myDependency.userStream, on: \.task, with: \.newUserDataReceived)
      .subscribe(to: myDependency.chatStream, on: \.task, with: \.newChatMessageReceived)
      .subscribe(to: myDependency.reactionStream, on: \.task, with: \.newReactionReceived) {
        Reaction(payload: $0)
      }
  }
}

@Suite struct CustomReducersArticleTests {
  private let real: RealHub

  init() throws { real = try RealHub() }

  private func store(_ reducer: () -> some ReducerOf<Feature>) -> TestStoreOf<Feature> {
    let store = TestStore(initialState: Feature.State(), reducer: reducer) { $0.hub = real.hub }
    store.externalTimeout = .seconds(60)
    return store
  }

  @Test("one line subscribes")
  func oneLine() async throws {
    try await real.other.value("number").set(5)
    let store = store { OneLine() }
    let task = await store.send(.task)
    await store.receive(\.newValueReceived, 5) { $0.value = 5 }
    try await real.other.value("number").set(6)
    await store.receive(\.newValueReceived, 6) { $0.value = 6 }
    await task.cancel()
    try await real.waitForWatchers(0, of: "number")
  }

  @Test("a transform makes the action's value of the stream's")
  func transform() async throws {
    try await real.other.value("number").set(5)
    let store = store { Transformed() }
    let task = await store.send(.task)
    await store.receive(\.newStringReceived, "5") { $0.string = "5" }
    await task.cancel()
  }

  @Test("an operation runs for each element, from a nested trigger on")
  func complex() async throws {
    try await real.other.value("number").set(5)
    let store = store { Complex() }
    let task = await store.send(.some(.trigger(.action)))
    await store.receive(.responseAction) { $0.responses = 1 }
    try await eventually("the sum is there") {
      await store.skipReceivedActions(strict: false)
      return (try? await real.other.value("sum", of: Int.self).get()) == 5
    }
    try await real.other.value("number").set(6)
    await store.receive(.responseAction) { $0.responses = 2 }
    await task.cancel()
  }

  @Test("several subscriptions stand under each other")
  func several() async throws {
    for name in ["user", "chat", "reaction"] { try await real.other.value(name).set("first \(name)") }
    let store = store { Several() }
    store.exhaustivity = .off
    let task = await store.send(.task)
    // The three come in any order.
    try await eventually("all three have told") {
      await store.skipReceivedActions(strict: false)
      return store.state
        == Feature.State(
          user: "first user", chat: ["first chat"], reactions: [Reaction(payload: "first reaction")])
    }
    await task.cancel()
  }
}
