// Owns the dependency through which analytics leave a feature.

public import HubReducers

/// Where analytics go.
///
/// ```swift
/// let store = Store(initialState: App.State()) {
///   App()
/// } withDependencies: {
///   $0.analyticsClient = .merge(.consoleLogger, .metrics)
/// }
/// ```
/// Names and shape follow Oliver Foggin's swift-composable-analytics.
public struct AnalyticsClient: Sendable {
  /// Takes one piece of data. Called once for each piece, in the order of the actions, and not on the store's isolation; in a `TestStore` before
  /// `send` returns.
  public var sendAnalytics: @Sendable (AnalyticsData) -> Void

  /// What a test expects to be sent, if this is a test's client.
  private(set) var expectations: AnalyticsScript?

  /// A client that sends data with a function, from any thread.
  public init(sendAnalytics: @escaping @Sendable (AnalyticsData) -> Void) {
    self.sendAnalytics = sendAnalytics
  }

  init(expectations: AnalyticsScript) {
    self.init { expectations.send($0) }
    self.expectations = expectations
  }

  /// Sends everything to each of several clients, in order.
  public static func merge(_ clients: AnalyticsClient...) -> Self {
    Self { data in
      for client in clients { client.sendAnalytics(data) }
    }
  }

  /// One line on standard output for each piece of data.
  public static let consoleLogger = Self { print("[Analytics] \($0)") }

  /// Reports an issue for each piece of data, because they have no destination.
  public static let unimplemented = Self { data in
    reportIssueOfCaller(
      """
      \(data) was sent, but there is no analytics client. Set analyticsClient where the store is made; \
      in a test, expect it: $0.analyticsClient.expect(...).
      """)
  }
}

extension AnalyticsClient: DependencyKey {
  public static var liveValue: Self { unimplemented }
  public static var previewValue: Self { consoleLogger }
  public static var testValue: Self { unimplemented }
}

extension DependencyValues {
  /// Where analytics go. It has no live value.
  public var analyticsClient: AnalyticsClient {
    get { self[AnalyticsClient.self] }
    set { self[AnalyticsClient.self] = newValue }
  }
}
