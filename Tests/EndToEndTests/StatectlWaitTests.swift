// statectl wait: conditions on real stores, the value printed, and the limit of the whole wait.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl wait")
struct StatectlWaitTests {
  private let bench: Bench
  private let control: Control

  init() throws {
    bench = try Bench()
    control = bench.control
  }

  @Test(
    "a condition that holds already ends it at once, with the value",
    arguments: [
      ["eq", "5"], ["==", "5"], ["ne", "6"], ["!=", "6"], ["lt", "6"], ["<", "5.5"], ["le", "5"],
      ["<=", "5"],
      ["gt", "-1"], [">", "4"], ["ge", "5"], [">=", "5.0"], ["exists"],
    ])
  func holds(condition: [String]) throws {
    try control.run("set", "a", "5")
    let wait = try control.start(["wait", "a"] + condition)
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "5\n")
  }

  @Test("a condition that does not hold is waited for")
  func waits() throws {
    try control.run("set", "a", "5")
    let wait = try control.start("wait", "a", "ge", "7")
    try bench.hub.waitForWatches(1)
    try control.run("set", "a", "6")
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.run("set", "a", "8")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "8\n")
  }

  @Test("a store that does not exist yet is waited for, by every condition")
  func notYet() throws {
    let waits = try [["exists"], ["changes"], ["eq", "5"]].map { try control.start(["wait", "a"] + $0) }
    try bench.hub.waitForWatches(3)
    try control.run("set", "a", "5")
    for wait in waits {
      #expect(try wait.status() == 0)
      #expect(wait.standardOutput == "5\n")
    }
  }

  @Test("changes waits for the next change, not for the value of now")
  func changes() throws {
    try control.run("set", "a", "5")
    let wait = try control.start("wait", "a", "changes")
    try bench.hub.waitForWatches(1)
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.run("set", "a", "5")
    #expect(wait.poll(milliseconds: 50) == nil)
    try control.run("set", "a", "6")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "6\n")
  }

  @Test("a value that fulfils the condition for a moment only is enough")
  func moment() throws {
    try control.run("set", "a", "0")
    let wait = try control.start("wait", "a", "eq", "500")
    try bench.hub.waitForWatches(1)
    try bench.hub.connect().storm("a", 1000)
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "500\n")
  }

  @Test("--timeout is for the whole wait: status 124, and what the value is")
  func timeout() throws {
    let absent = try control.run("wait", "a", "exists", "--timeout", "0.1")
    #expect(
      absent
        == Control.Result(
          status: 124, output: "", errors: "statectl: a: the time is over, and there is no such store\n"))
    try control.run("set", "a", "5")
    let present = try control.run("wait", "a", "gt", "9", "--timeout", "100ms")
    #expect(
      present
        == Control.Result(
          status: 124, output: "", errors: "statectl: a: the time is over, and the value is 5\n"))
    #expect(try control.run("wait", "a", "eq", "5", "--timeout", "20").status == 0)
  }

  @Test("the time limit is not prolonged by changes")
  func timeoutUnderChanges() throws {
    try control.run("set", "a", "0")
    let writer = try control.startShell("while statectl add a; do :; done > /dev/null 2>&1")
    #expect(try control.run("wait", "a", "lt", "0", "--timeout", "300ms").status == 124)
    writer.kill()
  }

  @Test("what cannot be compared is status 6, what makes no sense status 2")
  func refused() throws {
    try control.run("set", "a", "5")
    #expect(try control.run("wait", "a", "gt", "abc").status == 6)
    try control.run("set", "b", "true")
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

  @Test("--json prints the event")
  func json() throws {
    try control.run("set", "a", "5")
    let result = try control.run("wait", "a", "eq", "5", "--json")
    #expect(result.output.hasPrefix(#"{"name":"a","value":5,"revision":"#))
  }
}
