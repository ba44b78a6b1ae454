// The code of the article "Managing Analytics in a TCA app" (Oliver Foggin, 2023-12-14), against a real hub, which stands
// where the article has Firebase.
//
// Changed: `initialState:` and `name:` where the article leaves the labels out, a `default` in the switch, `await` before a
// test store's `send`, and what Swift 6 asks of a closure that is sent (it captures the client, not the reducer). Each
// test runs with the library's `AnalyticsReducer` and with the article's own.

public import HubReducers
public import HubReducersSamples
import HubReducersTesting
import Synchronization
import TestSupport
import Testing

public enum AnalyticsArticle {
  public struct AnalyticsReducer<State, Action>: Reducer {
    @usableFromInline
    let toAnalyticsData: (State, Action) -> AnalyticsData?

    @usableFromInline
    @Dependency(\.analyticsClient) var analyticsClient

    @inlinable
    public init(_ toAnalyticsData: @escaping (State, Action) -> AnalyticsData?) {
      self.init(toAnalyticsData: toAnalyticsData, internal: ())
    }

    @usableFromInline
    init(toAnalyticsData: @escaping (State, Action) -> AnalyticsData?, internal: Void) {
      self.toAnalyticsData = toAnalyticsData
    }

    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
      guard let analyticsData = toAnalyticsData(state, action) else {
        return .none
      }

      return .run { [analyticsClient] _ in
        analyticsClient.sendAnalytics(analyticsData)
      }
    }
  }
}

/// Sends every piece of data to the hub, in order: the service's side of a client that may not wait.
private final class HubAnalytics: Sendable {
  private let input: AsyncStream<AnalyticsData>.Continuation
  private let sending: Task<Void, Never>

  init(_ hub: Hub) {
    let (stream, input) = AsyncStream<AnalyticsData>.makeStream()
    self.input = input
    sending = Task {
      let log = hub.value("analytics.log", of: [String].self)
      for await data in stream { _ = try? await log.update(default: []) { $0.append("\(data)") } }
    }
  }

  /// Takes no more, and returns when everything is in the hub.
  func finish() async {
    input.finish()
    await sending.value
  }

  fileprivate func send(_ data: AnalyticsData) { input.yield(data) }
}

extension AnalyticsClient {
  fileprivate static func hubClient(_ analytics: HubAnalytics) -> Self {
    return .init(
      sendAnalytics: { analyticsData in
        switch analyticsData {
        case .event(name: _, properties: _):
          analytics.send(analyticsData)

        case .userId(let id):
          analytics.send(.userId(id))

        case .userProperty(name: let name, value: let value):
          analytics.send(.userProperty(name: name, value: value))

        case .screen(name: let name):
          analytics.send(.screen(name: name))

        case .error(let error):
          analytics.send(.error(error))
        }
      }
    )
  }
}

@Reducer
private struct RootReducer {
  struct State: Equatable {
    var message = ""
    var downloads = 0
  }

  enum Action: Equatable, Sendable {
    case buttonTapped
    case downloaded
  }

  let usesTheArticles: Bool
  private let downloadEffect: Effect<Action> = .send(.downloaded)

  init(usesTheArticles: Bool = false) { self.usesTheArticles = usesTheArticles }

  var body: some ReducerOf<Self> {
    // 1.
    if usesTheArticles {
      AnalyticsArticle.AnalyticsReducer { state, action in
        switch action {
        case .buttonTapped:
          return .event(name: "ButtonTapped")
        default:
          return nil
        }
      }
    } else {
      AnalyticsReducer { state, action in
        // 2.
        switch action {
        case .buttonTapped:
          // 3.
          return .event(name: "ButtonTapped")
        default:
          return nil
        }
      }
    }

    Reduce { state, action in
      switch action {
      case .buttonTapped:
        state.message = "Button tapped!"
        // 4.
        return downloadEffect
      case .downloaded:
        state.downloads += 1
        return .none
      }
    }
  }
}

@Suite struct AnalyticsArticleTests {
  @Test("analytics reach the service that the root store was given, in order", arguments: [false, true])
  @MainActor func service(usesTheArticles: Bool) async throws {
    let real = try RealHub()
    let analytics = HubAnalytics(real.hub)
    let rootStore = Store(initialState: RootReducer.State()) {
      RootReducer(usesTheArticles: usesTheArticles)
    } withDependencies: {
      $0.analyticsClient = .merge(.consoleLogger, .hubClient(analytics))
    }
    for _ in 0..<3 { await rootStore.send(.buttonTapped).finish() }
    #expect(rootStore.state == RootReducer.State(message: "Button tapped!", downloads: 3))
    await analytics.finish()
    let sent = "\(AnalyticsData.event(name: "ButtonTapped"))"
    #expect(try await real.other.value("analytics.log", of: [String].self).get() == [sent, sent, sent])
  }

  @Test("an expected event that is sent passes", arguments: [false, true])
  func testButtonTapped(usesTheArticles: Bool) async throws {
    let store = TestStore(initialState: RootReducer.State()) {
      RootReducer(usesTheArticles: usesTheArticles)
    } withDependencies: {
      $0.analyticsClient.expect(.event(name: "ButtonTapped"))
    }

    await store.send(.buttonTapped) { $0.message = "Button tapped!" }
    await store.receive(.downloaded) { $0.downloads = 1 }
  }

  @Test(
    "exhaustive: unexpected, unsent and different events each fail",
    arguments: [[], ["ButtonTapped", "ButtonTapped"], ["OtherTapped"]], [false, true])
  func exhaustive(expected: [String], usesTheArticles: Bool) async {
    let messages = await testFailures {
      let store = TestStore(initialState: RootReducer.State()) {
        RootReducer(usesTheArticles: usesTheArticles)
      } withDependencies: {
        for name in expected { $0.analyticsClient.expect(.event(name: name)) }
        if expected.isEmpty { $0.analyticsClient.expect() }
      }
      await store.send(.buttonTapped) { $0.message = "Button tapped!" }
      await store.receive(.downloaded) { $0.downloads = 1 }
    }
    #expect(messages.count == 1)
  }
}
