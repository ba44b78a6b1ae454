// The program's entry: it plays one of the two roles, each in its own process.

import Glibc
import HubReducers

switch CommandLine.arguments.dropFirst() {
case ["write"]: await write()
case ["follow"]: await follow()
default: fail("usage: shared-counter write | follow")
}

/// Turns each line of standard input into an action, until there are no more.
@MainActor
func write() async {
  let store = Store(initialState: Writer.State()) { Writer() }
  say("+ and - count, = shows, the end of input (Ctrl-D) ends")
  for await line in InputLines() {
    await store.send(.lineEntered(line)).finish()
    if let answer = store.state.answer { say(answer) }
  }
}

/// Shows every change of the counter, until the process is ended.
@MainActor
func follow() async {
  let store = Store(initialState: Follower.State()) { Follower() }
  store.send(.task)
  // The stream would wait silently for a hub; the user who has just started this wants to know.
  @Dependency(\.hub) var hub
  do { try await hub.ping() } catch { complain("\(error)") }
  // States may be skipped, but no line: it stays in the state until this loop has shown it.
  for await state in store.states where !state.lines.isEmpty {
    state.lines.forEach(say)
    store.send(.shown(lines: state.lines.count))
  }
}
