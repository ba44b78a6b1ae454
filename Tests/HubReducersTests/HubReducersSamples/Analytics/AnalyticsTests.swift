// Tests analytics: beside the feature, in order, and with expectations that hold.

import Dispatch
import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable {
    var message = ""
  }

  enum Action: Equatable, Sendable {
    case buttonTapped
    case typed(String)
    case burst
    case quiet
  }

  var body: some ReducerOf<Self> {
    AnalyticsReducer { state, action in
      switch action {
      case .buttonTapped: .event(name: "ButtonTapped", properties: ["before": state.message])
      case .typed, .burst, .quiet: nil
      }
    }
    MultipleAnalyticsReducer { _, action in
      action == .burst ? ["one", .screen(name: "two"), .userId("three")] : nil
    }
    Reduce { state, action in
      switch action {
      case .buttonTapped: state.message = "Button tapped!"
      case .typed(let text): state.message = text
      case .burst, .quiet: break
      }
      return .none
    }
    .analyticsOnChange(of: \.message) { old, new in
      .userProperty(name: "message", value: "\(old)>\(new)")
    }
  }
}

private func messages(_ expected: AnalyticsData..., sending actions: Feature.Action...) async -> Int {
  await testFailures {
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      for data in expected { $0.analyticsClient.expect(data) }
    }
    store.exhaustivity = .off
    for action in actions { await store.send(action) }
  }.count
}

@Suite struct AnalyticsTests {
  private static let tapped = AnalyticsData.event(name: "ButtonTapped", properties: ["before": ""])
  private static let changed = AnalyticsData.userProperty(name: "message", value: ">Button tapped!")

  @Test("what is expected and sent, in order, is no failure")
  func met() async {
    #expect(await messages(Self.tapped, Self.changed, sending: .buttonTapped, .quiet) == 0)
    #expect(await messages("one", .screen(name: "two"), .userId("three"), sending: .burst) == 0)
    #expect(await messages(sending: .quiet) == 0)
  }

  @Test("a missing, an extra and a different event each fail")
  func unmet() async {
    #expect(await messages(Self.tapped, Self.changed, "more", sending: .buttonTapped) == 1)
    #expect(await messages(Self.tapped, sending: .buttonTapped) == 1)
    #expect(await messages("other", Self.changed, sending: .buttonTapped) == 1)
    #expect(await messages("nothing", sending: .quiet) == 1)
  }

  @Test("an event and a screen need no label")
  func unlabelled() {
    #expect(AnalyticsData.event("ButtonTapped") == .event(name: "ButtonTapped"))
    #expect(
      AnalyticsData.event("Bought", properties: ["a": "b"]) == .event(name: "Bought", properties: ["a": "b"]))
    #expect(AnalyticsData.screen("Home") == .screen(name: "Home"))
  }

  @Test("slow analytics keep neither the store nor its user waiting, and keep their order")
  @MainActor func slow() async {
    let gate = DispatchSemaphore(value: 0)
    let sent = Log<AnalyticsData>()
    let store = Store(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.analyticsClient = AnalyticsClient { data in
        gate.wait()
        sent.append(data)
      }
    }
    let tasks = [store.send(.burst), store.send(.buttonTapped)]
    #expect(sent.entries.isEmpty)
    for _ in 1...5 { gate.signal() }
    for task in tasks { await task.finish() }
    #expect(sent.entries == ["one", .screen("two"), .userId("three"), Self.tapped, Self.changed])
  }

  @Test("the order matters")
  func order() async {
    #expect(await messages(.screen(name: "two"), "one", .userId("three"), sending: .burst) == 2)
  }

  @Test("two equal expectations need two events, and two events two expectations")
  func duplicates() async {
    #expect(await messages(Self.tapped, Self.changed, Self.tapped, sending: .buttonTapped) == 1)
    let again = AnalyticsData.event(name: "ButtonTapped", properties: ["before": "Button tapped!"])
    #expect(await messages(Self.tapped, Self.changed, again, sending: .buttonTapped, .buttonTapped) == 0)
    #expect(await messages(Self.tapped, Self.changed, sending: .buttonTapped, .buttonTapped) == 1)
  }

  @Test("an event that nobody expects fails a test")
  func unexpected() async {
    #expect(await messages(sending: .typed("x")) == 1)
  }

  @Test("merged clients get everything in order")
  func merged() async {
    let log = Log<String>()
    let client = AnalyticsClient.merge(
      AnalyticsClient { log.append("a \($0)") }, AnalyticsClient { log.append("b \($0)") })
    client.sendAnalytics(.screen(name: "x"))
    #expect(log.entries == [#"a screen(name: "x")"#, #"b screen(name: "x")"#])
  }

  @Test("a live store sends in the order of the actions, after the state is published")
  @MainActor func live() async {
    let log = Log<AnalyticsData>()
    let store = Store(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.analyticsClient = AnalyticsClient { log.append($0) }
    }
    let tasks = (0..<100).map { store.send(.typed("\($0)")) }
    for task in tasks { await task.finish() }
    #expect(log.entries.count == 100)
    #expect(log.entries.last == .userProperty(name: "message", value: "98>99"))
  }

  @Test("errors are compared by what they say")
  func errors() {
    struct Failure: Error { var code: Int }
    #expect(AnalyticsData.error(Failure(code: 1)) == .error(Failure(code: 1)))
    #expect(AnalyticsData.error(Failure(code: 1)) != .error(Failure(code: 2)))
  }
}
