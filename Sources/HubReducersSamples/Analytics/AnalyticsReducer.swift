// Owns the reducers that turn actions into analytics and do nothing else.

public import HubReducers

/// Maps an action to analytics, without touching the state or the feature's code.
///
/// ```swift
/// AnalyticsReducer { state, action in
///   switch action {
///   case .buttonTapped: .event(name: "ButtonTapped")
///   default: nil
///   }
/// }
/// ```
/// It sees the state at its position in the body: list it before the feature's `Reduce` to see the state
/// before the action. Data are sent in order, once the action's new state is published. Idea: Oliver Foggin's
/// swift-composable-analytics.
public struct AnalyticsReducer<State, Action>: Reducer {
  private let toAnalyticsData: (State, Action) -> AnalyticsData?
  @Dependency(\.analyticsClient) private var analyticsClient

  /// Sends the data that a function returns for an action; nil: none.
  public init(_ toAnalyticsData: @escaping (State, Action) -> AnalyticsData?) {
    self.toAnalyticsData = toAnalyticsData
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    guard let data = toAnalyticsData(state, action) else { return .none }
    return .perform(isSlow: true) { [analyticsClient] in analyticsClient.sendAnalytics(data) }
  }
}

/// Maps an action to several pieces of analytics data, in order.
public struct MultipleAnalyticsReducer<State, Action>: Reducer {
  private let toAnalyticsData: (State, Action) -> [AnalyticsData]?
  @Dependency(\.analyticsClient) private var analyticsClient

  /// Sends all data that a function returns for an action; nil: none.
  public init(_ toAnalyticsData: @escaping (State, Action) -> [AnalyticsData]?) {
    self.toAnalyticsData = toAnalyticsData
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    guard let data = toAnalyticsData(state, action), !data.isEmpty else { return .none }
    return .perform(isSlow: true) { [analyticsClient] in data.forEach(analyticsClient.sendAnalytics) }
  }
}

extension Reducer {
  /// Sends analytics when this reducer has changed a value.
  @warn_unqualified_access
  public func analyticsOnChange<Value: Equatable>(
    of value: @escaping (State) -> Value,
    _ toAnalyticsData: @escaping (_ oldValue: Value, _ newValue: Value) -> AnalyticsData
  ) -> some ReducerOf<Self> {
    self.onChange(of: value) { old, new in AnalyticsReducer { _, _ in toAnalyticsData(old, new) } }
  }
}
