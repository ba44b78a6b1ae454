// What the lines of a watch can show besides the value, and how often they come.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("The lines of statectl watch", .blocking)
final class StatectlWatchLinesTests: BenchSuite {
  @Test("--show-previous is the value of the line before, and nothing at first and after a removal")
  func previous() throws {
    try control.perform("set", "a", "1")
    let watch = try control.start("watch", "a", "--show-previous", "--show-revision")
    let named = try control.start("watch", "a", "b", "--show-previous")
    let json = try control.start("watch", "a", "--show-previous", "--json")
    _ = (try watch.lines(1), try named.lines(1), try json.lines(1))
    try control.perform("set", "a", "2")
    _ = (try watch.lines(2), try named.lines(2), try json.lines(2))
    try control.perform("remove", "a")
    for process in [watch, named, json] { try bench.waitUntilRead(by: process) }
    try control.perform("set", "a", "3")
    #expect(try watch.lines(3) == ["1\t\t1", "2\t1\t2", "4\t\t3"])
    #expect(try named.lines(3) == ["a\t\t1", "a\t1\t2", "a\t\t3"])
    let ends = try json.lines(4).map { $0.suffix(13) }
    #expect(ends[0].hasSuffix(#","previous":null}"#.suffix(13)))
    #expect(ends[1] == #""previous":1}"# && ends[2] == #""previous":2}"#)
    #expect(ends[3].hasSuffix(#"previous":null}"#.suffix(13)))
  }

  @Test("--format says what a line is, for removals too if it has {kind}")
  func format() throws {
    try control.perform("set", "a", "x\ty")
    let plain = try control.start("watch", "a", "--format", #"{{{name}}} \t{previous}->{value} {skipped}"#)
    let kinds = try control.start("watch", "a", "--format", "{revision} {kind}", "-n", "3")
    _ = (try plain.lines(1), try kinds.lines(1))
    try control.perform("remove", "a")
    for process in [plain, kinds] { try bench.waitUntilRead(by: process) }
    try control.perform("set", "a", "5")
    #expect(try plain.lines(2) == ["{a} \t->x\\ty 0", "{a} \t->5 0"])
    #expect(try kinds.status() == 0)
    #expect(kinds.standardOutput == "1 initial\n2 removed\n3 changed\n")
    let time = try control.run("watch", "a", "-1", "--format", "{time}").output
    #expect(time.contains(/^20[0-9]{2}-.*Z\n$/))
    for (template, reason) in [
      ("{valeu}", "--format has no {valeu} (did you mean {value}?)"),
      ("{name", "--format: a { without } (write {{ for a brace)"),
      ("name}", "--format: a } without { (write }} for a brace)"),
      (#"\x"#, #"--format supports only the escapes \n, \t and \\"#),
    ] {
      let refused = try control.run("watch", "a", "--format", template)
      #expect(refused.status == 2 && refused.errors == "statectl: \(reason)\n")
    }
    for other in ["--json", "--show-revision", "--show-previous"] {
      #expect(try control.run("watch", "a", other, "--format", "x").status == 2)
    }
  }

  @Test("--interval prints the newest value of each store, and at the end what waits")
  func interval() throws {
    try control.perform("set", "a", "0", "b", "0")
    let watch = try control.start("watch", "a", "b", "--interval", "1h", "--json", "--timeout", "5s")
    _ = try watch.lines(2)
    // From one connection, since the time runs: twenty processes may take longer.
    let writer = try bench.hub.connect()
    for (name, value) in (1...20).map({ ("a", $0) }) + [("b", 1)] {
      _ = try writer.call(.write(.set(.name(try StoreName(name)), .integer(Int64(value)))))
    }
    try bench.waitUntilRead(by: watch)
    #expect(try watch.lines(2).count == 2)
    #expect(try watch.status() == 124)
    let lines = try watch.lines(4)
    #expect(lines.count == 4)
    #expect(lines[2].hasPrefix(#"{"name":"a","value":20,"#) && lines[2].contains(#""skipped":19"#))
    #expect(lines[3].hasPrefix(#"{"name":"b","value":1,"#))
    #expect(try control.run("watch", "a", "--interval", "1s", "--every").status == 2)
  }

  @Test("--interval goes on by itself when the time is over, and -n counts what was printed")
  func intervalPasses() throws {
    try control.perform("set", "a", "0")
    let watch = try control.start("watch", "a", "--interval", "100ms", "-n", "3")
    _ = try watch.lines(1)
    try control.perform("set", "a", "1")
    _ = try watch.lines(2)
    try control.perform("set", "a", "2")
    #expect(try watch.status() == 0)
    #expect(watch.standardOutput == "0\n1\n2\n")
  }

  @Test("--deadband prints numbers that have changed by at least that, and counts the others as skipped")
  func deadband() throws {
    try control.perform("set", "a", "0")
    let watch = try control.start("watch", "a", "--deadband", "5", "--json", "-n", "3")
    let percent = try control.start("watch", "a", "--deadband", "120%", "-n", "3")
    _ = (try watch.lines(1), try percent.lines(1))
    for value in ["1", "4", "5", "6", "11", "12"] { try control.perform("set", "a", value) }
    #expect(try watch.status() == 0)
    let lines = try watch.lines(3)
    #expect(lines[1].hasPrefix(#"{"name":"a","value":5,"#) && lines[1].contains(#""skipped":2"#))
    #expect(lines[2].hasPrefix(#"{"name":"a","value":11,"#) && lines[2].contains(#""skipped":1"#))
    #expect(try percent.status() == 0)
    #expect(percent.standardOutput == "0\n1\n4\n")
    for (option, value) in [
      ("--deadband", "0"), ("--deadband", "5%%"), ("--deadband", "nan"), ("--interval", "25h"),
    ] { #expect(try control.run("watch", "a", option, value).status == 2) }
    #expect(try control.run("watch", "a", "--deadband", "1", "--every").status == 2)
  }

  @Test(
    "--when prints the values with which a condition starts or stops holding, and counts the others as skipped"
  )
  func when() throws {
    try control.perform("set", "a", "0")
    let watch = try control.start("watch", "a", "--when", "ge 5", "--json", "-n", "3")
    let other = try control.start("watch", "a", "--when", "eq x", "-n", "3")
    _ = (try watch.lines(1), try other.lines(1))
    for value in ["4", "5", "6", "1"] { try control.perform("set", "a", value) }
    #expect(try watch.status() == 0)
    let lines = try watch.lines(3)
    #expect(lines[1].hasPrefix(#"{"name":"a","value":5,"#) && lines[1].contains(#""skipped":1"#))
    #expect(lines[2].hasPrefix(#"{"name":"a","value":1,"#) && lines[2].contains(#""skipped":1"#))
    // It compares strings only, so that all numbers come.
    #expect(try other.status() == 0 && other.standardOutput == "0\n4\n5\n")
    for odd in ["", "ge", "is 5", "exists 1", "changes", "lt true"] {
      let result = try control.run("watch", "a", "--when", odd)
      #expect(result.status == 2 && result.errors.hasPrefix("statectl: "), "\(odd): \(result.errors)")
    }
    for other in [["--every"], ["--since", "1"]] {
      #expect(try control.run(["watch", "a", "--when", "eq 1"] + other).status == 2)
    }
  }

  @Test("--deadline repeats the line of a store that is not written, and an equal value ends that")
  func deadline() throws {
    try control.perform("set", "a", "5")
    let plain = try control.start("watch", "a", "--deadline", "50ms", "-n", "3")
    let json = try control.start("watch", "a", "--deadline", "50ms", "--json", "-n", "3")
    let template = try control.start(
      "watch", "a", "--deadline", "50ms", "-n", "2", "--format", "{value} {overdue}")
    #expect(try template.status() == 0 && template.standardOutput == "5 \n5 overdue\n")
    let command = try control.start(
      "watch", "a", "--deadline", "50ms", "-n", "2", "--exec", "sh", "-c",
      "echo $STATEHUB_VALUE $STATEHUB_OVERDUE")
    _ = (try plain.lines(2), try json.lines(2), try command.lines(2))
    try bench.upgrade()
    try control.perform("set", "a", "5")
    #expect(try plain.status() == 0 && json.status() == 0 && command.status() == 0)
    #expect(plain.standardOutput == "5\n5\toverdue\n5\n")
    let lines = try json.lines(3)
    #expect(!lines[0].contains("overdue") && !lines[2].contains("overdue"))
    #expect(lines[1].contains(#""kind":"changed","skipped":0,"#) && lines[1].contains(#""overdue":true"#))
    #expect(lines[2].contains(#""kind":"changed","skipped":0,"#))
    #expect(command.standardOutput == "5\n5 true\n" || command.standardOutput == "5 \n5 true\n")
    for odd in ["0", "25h", "x"] { #expect(try control.run("watch", "a", "--deadline", odd).status == 2) }
    #expect(try control.run("watch", "a", "--deadline", "1s", "--every").status == 2)
  }

  @Test("an upgrade of the hub keeps what a deadband is measured from")
  func deadbandUpgrade() throws {
    try control.perform("set", "a", "0")
    let watch = try control.start("watch", "a", "--deadband", "5", "--json", "-n", "2")
    _ = try watch.lines(1)
    try control.perform("set", "a", "1")
    try bench.upgrade()
    for value in ["3", "5"] { try control.perform("set", "a", value) }
    #expect(try watch.status() == 0)
    let lines = try watch.lines(2)
    #expect(lines[1].hasPrefix(#"{"name":"a","value":5,"#) && lines[1].contains(#""skipped":2"#))
  }

  @Test("with --exec the command starts at most that often, with the newest value")
  func intervalExec() throws {
    try control.perform("set", "a", "0")
    let start = ContinuousClock.now
    let watch = try control.start(
      "watch", "a", "--interval", "300ms", "-n", "2", "--exec", "sh", "-c",
      "echo $STATEHUB_VALUE $STATEHUB_SKIPPED"
    )
    _ = try watch.lines(1)
    for value in 1...5 { try control.perform("set", "a", "\(value)") }
    #expect(try watch.status() == 0)
    let second = try watch.lines(2)[1].split(separator: " ").compactMap { Int($0) }
    #expect(second.count == 2 && second[0] == second[1] + 1)
    #expect(start.duration(to: .now) >= .milliseconds(300))
  }
}
