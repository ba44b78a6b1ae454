// Tests what the library prints for people: differences, changes, issues.

import HubReducers
import HubReducersTesting
import Testing

@Suite struct DebugTests {
  private struct State: Equatable {
    var a = 1
    var b = 2
    var c = 3
    var d = 4
    var e = 5
    var f = 6
    var g = 7
  }

  @Test("a difference shows the changed lines with their neighbours, and leaves out the rest")
  func differences() {
    #expect(difference(State(), State()) == nil)
    let lines = difference(State(), State(a: 1, b: 20)) ?? ""
    #expect(lines.contains("-   - b: 2\n+   - b: 20"))
    #expect(lines.contains("    - d: 4") && !lines.contains("e: 5"))
    #expect(lines.hasSuffix("  ..."))
  }

  @Test("changes are printed action by action, in order, without changing what the reducer does")
  func printChanges() async {
    let log = Log<String>()
    let printer = _ReducerPrinter<Int, Int>(
      text: { action, before, after in "\(action): \(before) \(after)" }, write: { log.append($0) })
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state += action
        return action == 1 ? .send(2) : .none
      }
      ._printChanges(printer)
    }
    await store.send(1) { $0 = 1 }
    await store.receive(2) { $0 = 3 }
    #expect(log.entries == ["1: 0 1", "2: 1 3"])
    #expect(
      _ReducerPrinter<State, String>.differences.text("go", State(), State(a: 0)).contains("received go"))
  }

  @Test("an issue carries the line of whoever caused it")
  func location() {
    let reported = Log<ReportedIssue>()
    IssueReporter.$scoped.withValue(IssueReporter { reported.append($0) }) {
      var value: Int? = nil
      value.modify(\.some) { $0 += 1 }
    }
    #expect(reported.entries.first?.fileID == "HubReducersTests/DebugTests.swift")
    #expect((reported.entries.first?.line ?? 0) > 0)
  }
}
