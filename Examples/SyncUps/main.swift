// The program's entry: a line of standard input becomes actions, a new state is shown.

import Dispatch
import Glibc
import HubReducers

let store = Store(initialState: SyncUps.State()) { SyncUps() }
store.send(.task)

Task {
  let input = DispatchQueue(label: "standard input")
  while let line = await withCheckedContinuation({ continuation in
    input.async { continuation.resume(returning: readLine()) }
  }) {
    for action in store.state.actions(line) { store.send(action) }
  }
  // The last change has reached the hub then.
  try? await store.state.list.$syncUps.save()
  exit(0)
}

var shown = ""
for await state in store.states where state.text != shown {
  shown = state.text
  print(shown)
  fflush(nil)
}
