import HubReducers

@Reducer
public struct Fan: Sendable {
  public struct State: Equatable, Sendable {
    public var temperature: Double?
    public var isOn = false

    public init() {}
  }

  public enum Action: Equatable, Sendable {
    case task
    case temperatureChanged(Double)
  }

  public init() {}
}
