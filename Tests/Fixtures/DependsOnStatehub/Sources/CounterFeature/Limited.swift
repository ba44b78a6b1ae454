// A public feature that holds more than dependencies.

import HubReducers
import HubReducersSamples

@Reducer
public struct Limited: Sendable {
  let limit: Int
  @Dependency(\.numberStore) var numberStore

  public init(limit: Int) { self.limit = limit }

  public var body: some Reducer<Int, Int> {
    Reduce { state, number in
      state = min(number, limit)
      return .run { _ in await numberStore.updateValue(min(number, limit)) }
    }
  }
}
