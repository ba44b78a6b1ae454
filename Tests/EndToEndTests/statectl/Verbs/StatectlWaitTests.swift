// statectl wait: conditions on real stores, the value printed, and the limit of the whole wait.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl wait", .blocking)
final class StatectlWaitTests: BenchSuite {
  @Test(
    "a condition that holds already ends it at once, with the value",
    arguments: [
      ["eq", "5"], ["==", "5"], ["ne", "6"], ["!=", "6"], ["lt", "6"], ["<", "5.5"], ["le", "5"],
      ["<=", "5"],
      ["gt", "-1"], [">", "4"], ["ge", "5"], [">=", "5.0"], ["exists"],
    ])
  func holds(condition: [String]) throws {
    try control.perform("set", "a", "5")
    let wait = try control.start(["wait", "a"] + condition)
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "5\n")
  }

  @Test("a condition that does not hold is waited for")
  func waits() throws {
    try control.perform("set", "a", "5")
    let wait = try control.start("wait", "a", "ge", "7")
    try bench.hub.waitForWatches(1)
    try control.perform("set", "a", "6")
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.perform("set", "a", "8")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "8\n")
  }

  @Test("a store that does not exist yet is waited for, by every condition")
  func notYet() throws {
    let waits = try [["exists"], ["changes"], ["eq", "5"]].map { try control.start(["wait", "a"] + $0) }
    try bench.hub.waitForWatches(3)
    try control.perform("set", "a", "5")
    for wait in waits {
      #expect(try wait.status() == 0)
      #expect(wait.standardOutput == "5\n")
    }
  }

  @Test("changes waits for the next change, not for the current value")
  func changes() throws {
    try control.perform("set", "a", "5")
    let wait = try control.start("wait", "a", "changes")
    try bench.hub.waitForWatches(1)
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.perform("set", "a", "5")
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.perform("set", "a", "6")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "6\n")
  }

  @Test("a removal and the end of a lifetime are changes")
  func endings() throws {
    for end in [["remove", "a"], ["set", "a", "5", "--ttl", "50ms"]] {
      try control.perform("set", "a", "5", "--ttl", "1h")
      let wait = try control.start("wait", "a", "changes")
      let json = try control.start("wait", "a", "changes", "--json")
      try bench.hub.waitForWatches(2)
      #expect(try control.start(end).status() == 0)
      #expect(try wait.status() == 0)
      #expect(wait.standardOutput == "" && wait.standardError == "")
      #expect(try json.status() == 0)
      #expect(
        json.standardOutput.contains(#""value":null"#) && json.standardOutput.contains(#""kind":"removed""#))
    }
    // Back to the initial value, which is a new value.
    try control.perform("create", "mode", "--type", "string", "--initial", "off")
    try control.perform("set", "mode", "turbo", "--ttl", "1h")
    let wait = try control.start("wait", "mode", "changes")
    try bench.hub.waitForWatches(1)
    try control.perform("set", "mode", "turbo", "--ttl", "50ms")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "off\n")
  }

  @Test("absent waits until there is no such store, and ne holds where there is none")
  func absent() throws {
    for condition in [["absent"], ["ne", "5"], ["!=", "5"]] {
      #expect(try control.start(["wait", "nothing"] + condition).status() == 0, "\(condition)")
      for end in [["remove", "a"], ["set", "a", "5", "--ttl", "50ms"]] {
        try control.perform("set", "a", "5", "--ttl", "1h")
        let wait = try control.start(["wait", "a"] + condition)
        try bench.hub.waitForWatches(1)
        #expect(wait.poll(milliseconds: 50) == nil, "\(condition)")
        #expect(try control.start(end).status() == 0)
        #expect(try wait.status() == 0, "\(condition) \(end)")
        #expect(wait.standardOutput.isEmpty && wait.standardError.isEmpty)
      }
    }
    let line = try control.run("wait", "nothing", "absent", "--json").output
    #expect(line.hasPrefix(#"{"name":"nothing","value":null,"revision":"#))
    #expect(line.hasSuffix(#","kind":"absent","skipped":0,"time":null}"# + "\n"))
    for condition in ["eq", "lt", "le", "gt", "ge"] {
      #expect(try control.run("wait", "nothing", condition, "5", "--timeout", "50ms").status == 124)
    }
  }

  @Test("an ending while the hub was away is seen when it is back")
  func endedMeanwhile() throws {
    try control.perform("set", "a", "5")
    let wait = try control.start("wait", "a", "absent")
    try bench.hub.waitForWatches(1)
    try bench.replaceHub()
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput.isEmpty)
  }

  @Test("--timeout 0 looks once: at once where the condition holds, else status 124 and what there is")
  func once() throws {
    try control.perform("set", "a", "5")
    #expect(
      try control.run("wait", "a", "eq", "5", "--timeout", "0")
        == Control.Result(status: 0, output: "5\n", errors: ""))
    #expect(
      try control.run("wait", "a", "eq", "6", "--timeout", "0s")
        == Control.Result(
          status: 124, output: "", errors: "statectl: a: timed out: the value is 5\n"))
    #expect(
      try control.run("wait", "nothing", "exists", "--timeout=0")
        == Control.Result(
          status: 124, output: "",
          errors: "statectl: nothing: timed out: there is no such store\n"))
    let changes = try control.run("wait", "a", "changes", "--timeout", "0")
    #expect(changes.status == 124)
    #expect(
      try control.run("watch", "a", "nothing", "--timeout", "0")
        == Control.Result(status: 124, output: "a\t5\n", errors: "statectl: timed out\n"))
    #expect(try control.run("watch", "a", "-1", "--timeout", "0").status == 0)
    let command = try control.run(
      "watch", "a", "--timeout", "0", "--exec", "sh", "-c", "echo $STATEHUB_VALUE")
    #expect(command == Control.Result(status: 124, output: "5\n", errors: "statectl: timed out\n"))
    // For one answer, no time makes no sense.
    #expect(try control.run("get", "a", "--timeout", "0").status == 2)
  }

  @Test("a value that fulfils the condition for a moment only is enough")
  func moment() throws {
    try control.perform("set", "a", "0")
    let wait = try control.start("wait", "a", "eq", "500")
    try bench.hub.waitForWatches(1)
    try bench.hub.connect().storm("a", 1000)
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "500\n")
  }

  @Test("--timeout is for the whole wait: status 124, and what the value is")
  func timeout() throws {
    let absent = try control.run("wait", "a", "exists", "--timeout", "2")
    #expect(
      absent
        == Control.Result(
          status: 124, output: "", errors: "statectl: a: timed out: there is no such store\n"))
    try control.perform("set", "a", "5")
    let present = try control.run("wait", "a", "gt", "9", "--timeout", "2s")
    #expect(
      present
        == Control.Result(
          status: 124, output: "", errors: "statectl: a: timed out: the value is 5\n"))
    #expect(try control.run("wait", "a", "eq", "5", "--timeout", "20").status == 0)
  }

  @Test("the value in the message is the hub's, although the hub has left it out")
  func timeoutAfterChanges() throws {
    try control.perform("set", "a", "1")
    let wait = try control.start("wait", "a", "gt", "9", "--timeout", "3s")
    try bench.hub.waitForWatches(1)
    try control.perform("set", "a", "5")
    #expect(try wait.status() == 124)
    #expect(wait.standardError == "statectl: a: timed out: the value is 5\n")
  }

  @Test("the time limit is not prolonged by changes")
  func timeoutUnderChanges() throws {
    try control.perform("set", "a", "0")
    let writer = try control.startShell("while statectl add a; do :; done > /dev/null 2>&1")
    #expect(try control.run("wait", "a", "lt", "0", "--timeout", "300ms").status == 124)
    writer.kill()
  }

  @Test("what cannot be compared is status 6, what makes no sense status 2")
  func refused() throws {
    try control.perform("set", "a", "5")
    #expect(try control.run("wait", "a", "gt", "abc").status == 6)
    try control.perform("set", "b", "true")
    let order = try control.run("wait", "b", "gt", "false")
    #expect(order.status == 6)
    #expect(order.errors == "statectl: b: a boolean has no order: use eq or ne\n")
    #expect(try control.run("wait", "a", "eq").status == 2)
    #expect(try control.run("wait", "a", "exists", "5").status == 2)
    #expect(
      try control.run("wait", "a", "exist").errors
        == "statectl: there is no condition 'exist' (did you mean exists?)\n")
    #expect(try control.run("wait", "a*", "exists").status == 6)
  }

  @Test("--any ends with the first of several conditions, and prints each that holds")
  func any() throws {
    try control.perform("set", "a", "5")
    let now = try control.run("wait", "--any", "a", "eq", "5", "b", "absent", "a", "gt", "9")
    #expect(now == Control.Result(status: 0, output: "a\t5\nb\n", errors: ""))
    let wait = try control.start("wait", "--any", "a", "eq", "6", "b", "exists")
    let json = try control.start("wait", "--any", "a", "eq", "6", "b", "exists", "--json")
    try bench.hub.waitForWatches(4)
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.perform("set", "b", "x y")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "b\tx y\n")
    #expect(try json.status() == 0)
    #expect(json.standardOutput.hasPrefix(#"{"name":"b","value":"x y","revision":"#))
  }

  @Test("--all ends when all conditions hold at once, never in the middle of a transaction")
  func all() throws {
    try control.perform("txn", input: "set a 0\nset b 0\n")
    let wait = try control.start("wait", "--all", "a", "eq", "1", "b", "eq", "0", "c", "absent")
    try bench.hub.waitForWatches(3)
    try control.perform("txn", input: "set a 1\nset b 1\nset other 1\n")
    try control.perform("set", "a", "2")
    try bench.waitUntilRead(by: wait)
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.perform("txn", input: "set other 2\nset a 1\nset b 0\nset last 2\n")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "a\t1\nb\t0\nc\n")
  }

  @Test("several conditions at the end of the time: what there is of each store")
  func severalTimeout() throws {
    try control.perform("set", "a", "5")
    #expect(
      try control.run("wait", "--all", "a", "eq", "5", "b", "exists", "--timeout", "0")
        == Control.Result(
          status: 124, output: "",
          errors: "statectl: timed out: a is 5, there is no b\n"))
  }

  @Test("several conditions without --any or --all, and conditions that are none, are status 2")
  func severalRefused() throws {
    #expect(
      try control.run("wait", "a", "exists", "b", "exists").errors
        == "statectl: several conditions need --any or --all (see statectl help wait)\n")
    for words in [
      ["--any", "a", "exists", "b"], ["--any", "--all", "a", "exists", "b", "exists"],
      ["--any", "a", "eq", "1", "b", "eq"], ["a", "changes", "--stable-for", "1s"],
      ["a", "exists", "--stable-for", "1s", "--timeout", "0"], ["a", "exists", "--stable-for", "0"],
    ] {
      #expect(try control.start(["wait"] + words).status() == 2, "\(words)")
    }
  }

  @Test("--stable-for asks that the condition has held that long")
  func lasting() throws {
    try control.perform("set", "a", "5")
    let start = ContinuousClock.now
    #expect(try control.run("wait", "a", "eq", "5", "--stable-for", "200ms").output == "5\n")
    #expect(start.duration(to: .now) >= .milliseconds(200))
    #expect(
      try control.run("wait", "a", "eq", "5", "--stable-for", "1h", "--timeout", "2s").errors
        == "statectl: a: timed out: the value is 5, but not for long enough\n")
    let wait = try control.start("wait", "--any", "a", "eq", "6", "b", "exists", "--stable-for", "100ms")
    try bench.hub.waitForWatches(2)
    try control.perform("set", "b", "1")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "b\t1\n")
  }

  @Test("while the hub is away nobody knows what holds, and --stable-for begins again when it is back")
  func lastingWithoutHub() throws {
    let wait = try control.start("wait", "a", "absent", "--stable-for", "300ms")
    try bench.hub.waitForWatches(1)
    bench.hub.kill()
    #expect(wait.poll(milliseconds: 600) == nil)
    try bench.replaceHub()
    #expect(try wait.status() == 0)
  }

  @Test("--json prints the event")
  func json() throws {
    try control.perform("set", "a", "5")
    let result = try control.run("wait", "a", "eq", "5", "--json")
    #expect(result.output.hasPrefix(#"{"name":"a","value":5,"revision":"#))
  }
}
