import Fan
import HubReducers

let store = Store(initialState: Fan.State()) { Fan() }
store.send(.task)
for await state in store.states {
  guard let temperature = state.temperature else { continue }
  print("\(temperature) degrees: the fan is \(state.isOn ? "on" : "off")")
}
