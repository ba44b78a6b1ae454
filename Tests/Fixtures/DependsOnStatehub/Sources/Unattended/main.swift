// A test store in a program of its own: no test framework is there to take its failures.

import CounterFeature
import HubReducersTesting

let store = TestStore(initialState: Counter.State()) { Counter() }
let expected = CommandLine.arguments.contains("wrong") ? 2 : 1
await store.send(.numberChanged(1)) { $0.number = expected }  // FAILS wrong
print("done")
