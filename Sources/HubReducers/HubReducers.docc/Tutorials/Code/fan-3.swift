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

  @Dependency(\.hub) var hub

  public init() {}

  public var body: some ReducerOf<Self> {
    let temperature = hub.value("room.temperature", of: Double.self)
    Reduce { state, action in
      switch action {
      case .task:
        return .none
      case .temperatureChanged(let temperature):
        state.temperature = temperature
        state.isOn = temperature > 24
        return .none
      }
    }
    .subscribe(to: temperature, on: \.task, with: \.temperatureChanged)
  }
}
