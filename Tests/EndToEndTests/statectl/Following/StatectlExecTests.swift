// statectl watch --exec: what the command gets, when it runs, and what its failure does.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl watch --exec", .blocking)
final class StatectlExecTests: BenchSuite {
  @Test("the command runs for each value, with the event in its environment")
  func environment() throws {
    try control.perform("set", "a", "x y")
    let watch = try control.start(
      "watch", "a", "-n", "2", "--exec", "sh", "-c",
      #"printf '%s|%s|%s|%s\n' "$STATEHUB_STORE" "$STATEHUB_KIND" "$STATEHUB_SKIPPED" "$STATEHUB_VALUE""#)
    #expect(try watch.lines(1) == ["a|initial|0|x y"])
    try control.perform("set", "a", "z")
    #expect(try watch.status() == 0)
    #expect(watch.standardOutput == "a|initial|0|x y\na|changed|0|z\n")
    #expect(watch.standardError.isEmpty)
  }

  @Test("it gets the event as a line of JSON on standard input, of any length")
  func input() throws {
    let long = String(repeating: "x", count: 300_000)
    let set = try control.run("set", "a", "-", input: long)
    #expect(set.status == 0)
    let watch = try control.run("watch", "a", "-1", "--exec", "cat")
    #expect(watch.status == 0)
    #expect(watch.output.hasPrefix(#"{"name":"a","value":"\#(long)","revision":"#))
    #expect(watch.output.hasSuffix("Z\"}\n"))
    // Such a value fits into no environment; a command that reads nothing is fine.
    let unset = try control.run("watch", "a", "-1", "--exec", "sh", "-c", #"echo "${STATEHUB_VALUE-unset}""#)
    #expect(unset.output == "unset\n")
  }

  @Test("it runs for a removal too, without a value")
  func removal() throws {
    try control.perform("set", "a", "1")
    let watch = try control.start(
      "watch", "a", "--exec", "sh", "-c", #"echo "$STATEHUB_KIND ${STATEHUB_VALUE-none}""#)
    _ = try watch.lines(1)
    try control.perform("remove", "a")
    #expect(try watch.lines(2) == ["initial 1", "removed none"])
  }

  @Test("it never runs twice at once, and while it runs only the newest value of each store waits")
  func serialised() throws {
    try control.perform("set", "a", "0")
    // The command runs until the test removes a file, so that all the changes come meanwhile.
    let gate = try bench.directory.write("", to: "gate")
    let watch = try control.start(
      "watch", "a", "--exec", "sh", "-c",
      #"echo "start $STATEHUB_VALUE $STATEHUB_SKIPPED"; while [ -e \#(gate) ]; do sleep 0.01; done; echo "end $STATEHUB_VALUE""#
    )
    _ = try watch.lines(1)
    for value in 1...20 { try control.perform("set", "a", "\(value)") }
    // What the watch has read is what it knows: the last change has to have arrived before the gate opens.
    try bench.waitUntilRead(by: watch)
    unlink(gate)
    #expect(try watch.lines(4) == ["start 0 0", "end 0", "start 20 19", "end 20"])
  }

  @Test("a command that fails: continue by default and say so, or stop with its status")
  func failure() throws {
    try control.perform("set", "a", "1")
    let go = try control.run("watch", "a", "-1", "--exec", "sh", "-c", "exit 3")
    #expect(go == Control.Result(status: 0, output: "", errors: "statectl: sh failed with status 3\n"))
    let stop = try control.run("watch", "a", "--exec-fail=stop", "--exec", "sh", "-c", "exit 3")
    #expect(stop == Control.Result(status: 3, output: "", errors: ""))
    let killed = try control.run("watch", "a", "--exec-fail", "stop", "--exec", "sh", "-c", "kill -9 $$")
    #expect(killed.status == 137)
    let wrong = try control.run("watch", "a", "--exec-fail", "maybe", "--exec", "true")
    #expect(wrong.status == 2)
  }

  @Test("a command that does not exist ends the watch")
  func missing() throws {
    try control.perform("set", "a", "1")
    let result = try control.run("watch", "a", "--exec", "/no/such/command")
    #expect(result.status == 1)
    #expect(result.errors == "statectl: cannot start /no/such/command: No such file or directory\n")
  }

  @Test("the command gets the usual signals: it ends when its output is not read any more")
  func brokenPipe() throws {
    try control.perform("set", "a", "1")
    let result = try control.shell("statectl watch a -1 --exec-fail=stop --exec yes | head -n 1")
    #expect(result.output == "y\n")
    #expect(result.errors.isEmpty)
  }
}
