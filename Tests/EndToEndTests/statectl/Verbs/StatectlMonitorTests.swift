// statectl monitor: what others ask of a real hub, in lines and as JSON, across reloads and restarts.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("statectl monitor", .blocking)
final class StatectlMonitorTests: BenchSuite {
  /// A monitor that has begun: it has shown something.
  private func monitor(_ words: String...) throws -> ChildProcess {
    let monitor = try control.start(["monitor"] + words)
    try begin(monitor)
    return monitor
  }

  private func begin(_ monitor: ChildProcess) throws {
    let before = monitor.standardOutput.count
    try monitor.wait(until: "it shows something") {
      try control.perform("set", "begin", "1", "--force")
      return monitor.standardOutput.count > before
    }
  }

  /// What comes after the time, of the lines about `a` and below.
  private func requests(_ monitor: ChildProcess) -> [String] {
    monitor.standardOutput.split(separator: "\n").map { line in
      line.split(separator: "  ").dropFirst(2).joined(separator: "  ").replacing(/\[[0-9]+\]/, with: "[PID]")
    }.filter { !$0.contains("begin") }
  }

  @Test("prints each request as it would be typed, who has asked, and why it was refused")
  func lines() throws {
    let monitor = try monitor("--verb", "set", "--verb", "get", "--verb", "txn", "--verb", "removed")
    try control.perform("set", "a.b", "two words")
    try control.perform("get", "a.b")
    #expect(try control.run("get", "a.c").status == 4)
    #expect(try control.run("txn", input: "set a.x 1\nadd a.y 2\n").status == 4)
    #expect(try control.run("set", "a.x", "5", "--if-revision", "99").status == 5)
    try control.perform("txn", input: "set a.p 1\nset a.q 2\nset a.r 3\nset a.s 4\nset a.u 5\n")
    try control.perform("set", "a.t", "1", "--ttl", "50ms")
    try monitor.wait(until: "all is shown") { requests(monitor).count >= 8 }
    let shown = requests(monitor)
    #expect(
      shown.filter { !$0.hasPrefix("the hub") } == [
        "statectl set[PID]  set a.b two words",
        "statectl get[PID]  get a.b",
        "statectl get[PID]  get a.c  refused: there is no such store: set or create it first",
        "statectl txn[PID]  txn: set a.x 1; add a.y 2  refused: there is no such store: set or create it first",
        "statectl set[PID]  set a.x 5 --if-revision 99  refused: there is no such store",
        "statectl txn[PID]  txn: set a.p 1; set a.q 2; set a.r 3; set a.s 4; and 1 more",
        "statectl set[PID]  set a.t 1 --if-revision 0 --ttl 50ms",
      ])
    #expect(shown.contains("the hub  removed a.t"))
    monitor.signal(SIGINT)
    #expect(try monitor.wait() == .signal(SIGINT))
  }

  @Test("shows only what it is asked for, and ends after so many lines")
  func filters() throws {
    let user = String(getuid())
    let monitor = try control.start(["monitor", "a.**", "--by", user, "--verb", "set", "--json", "-n", "2"])
    let other = try control.start(["monitor", "a.**", "--by", "12345"])
    try monitor.wait(until: "two lines are there") {
      try control.perform("set", "a.b", "1")
      try control.perform("set", "b", "1")
      return monitor.standardOutput.filter { $0 == "\n" }.count == 2
    }
    #expect(try monitor.status() == 0)
    for line in monitor.standardOutput.split(separator: "\n") {
      #expect(line.contains(#","name":"a.b","request":"set a.b 1","bytes":"#))
      #expect(line.contains(#""uid":\#(user),"pid":"#) && line.contains(#""client":"statectl set""#))
    }
    #expect(other.standardOutput.isEmpty)
    other.signal(SIGTERM)
  }

  @Test("continues after an upgrade and with the next hub, and says that something is missing")
  func restart() throws {
    let monitor = try monitor("--verb", "set")
    try bench.upgrade()
    try begin(monitor)
    try monitor.wait(until: "it says so") {
      monitor.standardError.contains("the hub was upgraded or replaced")
    }
    try bench.replaceHub()
    try begin(monitor)
    #expect(
      monitor.standardError.split(separator: "\n").filter { $0.contains("upgraded or replaced") }.count == 2)
  }

  @Test("its words are checked before a hub is asked")
  func words() throws {
    let wrong = try control.run("monitor", "--verb", "sett")
    #expect(
      wrong.status == 2 && wrong.errors.contains("no request is called 'sett'")
        && wrong.errors.contains("set?"))
    #expect(try control.run("monitor", "--by", "nobody-of-that-name").status == 2)
    #expect(try control.run("monitor", "a", "b").status == 2)
  }

  @Test("a long request is shown by its beginning, and one that the program does not know by its number")
  func unknown() {
    var record = MonitorRecord(time: 0, kind: 0x04, revision: 1, uid: 0, pid: 1, client: "", name: "a")
    (record.length, record.payload) = (5000, [1, 2])
    #expect(RequestText(record).text == "set a ... (5000 bytes)")
    record.kind = 0x3F
    #expect(RequestText(record).verb == "kind 63")
    for (word, kind) in RequestText.verbs {
      record.kind = kind
      #expect(RequestText(record).verb == word)
    }
  }
}
