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
  // Written past the streams of C: one that is read stays locked, and a flush of all of them would wait for it.
  var text = shown + "\n"
  text.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
