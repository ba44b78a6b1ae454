// statectl watch: its lines, when it ends, and that it survives what happens to the connection and the hub.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl watch", .blocking)
final class StatectlWatchTests: BenchSuite {
  /// Starts a watch and waits until it has seen what there is.
  private func watch(_ arguments: String..., lines: Int) throws -> ChildProcess {
    let watch = try control.start(["watch"] + arguments)
    try bench.hub.waitForWatches(1)
    _ = try watch.lines(lines)
    return watch
  }

  @Test("one store: the current value, then each change, a line each, flushed at once")
  func oneStore() throws {
    try control.perform("set", "a", "1")
    let watch = try watch("a", lines: 1)
    for value in 2...4 {
      try control.perform("set", "a", "\(value)")
      #expect(try watch.lines(value) == (1...value).map(String.init))
    }
    #expect(watch.standardError.isEmpty)
  }

  @Test("several stores, or a glob: name, tab, value")
  func severalStores() throws {
    try control.perform("set", "x.a", "1")
    try control.perform("set", "x.b", "two")
    let named = try watch("x.a", "x.b", lines: 2)
    #expect(try named.lines(2).sorted() == ["x.a\t1", "x.b\ttwo"])
    let glob = try control.start("watch", "x.*", "-n", "3")
    #expect(try glob.lines(2).sorted() == ["x.a\t1", "x.b\ttwo"])
    try control.perform("set", "x.c", "new")
    #expect(try glob.lines(3).last == "x.c\tnew")
    #expect(try glob.status() == 0)
    #expect(try named.lines(2).count == 2)
  }

  @Test("a store that does not exist yet is waited for")
  func notYet() throws {
    let watch = try watch("a", lines: 0)
    #expect(watch.standardOutput.isEmpty)
    try control.perform("set", "a", "1")
    #expect(try watch.lines(1) == ["1"])
    try control.perform("remove", "a")
    try control.perform("set", "a", "2")
    #expect(try watch.lines(2) == ["1", "2"])
  }

  @Test("-n N ends after N lines, the current value included; -1 after one; both with status 0")
  func limits() throws {
    try control.perform("set", "a", "1")
    let once = try control.run("watch", "-1", "a")
    #expect(once == Control.Result(status: 0, output: "1\n", errors: ""))
    let two = try watch("a", "-n", "2", lines: 1)
    try control.perform("set", "a", "2")
    #expect(try two.status() == 0)
    #expect(two.standardOutput == "1\n2\n")
    #expect(try control.run("watch", "a", "-n", "0").status == 2)
  }

  @Test("--changes-only leaves out the current value")
  func changesOnly() throws {
    try control.perform("set", "a", "1")
    let watch = try watch("a", "--changes-only", "-n", "1", lines: 0)
    try control.perform("set", "a", "2")
    #expect(try watch.lines(1) == ["2"])
    #expect(try watch.status() == 0)
  }

  @Test("an equal value makes no line, a forced one does")
  func equal() throws {
    try control.perform("set", "a", "1")
    let watch = try watch("a", lines: 1)
    try control.perform("set", "a", "1")
    try control.perform("set", "a", "1", "--force")
    try control.perform("set", "a", "2")
    #expect(try watch.lines(3) == ["1", "1", "2"])
  }

  @Test("--every prints every change of a storm, in order")
  func every() throws {
    try control.perform("set", "a", "0")
    let watch = try watch("a", "--every", lines: 1)
    try bench.hub.connect().storm("a", 2000)
    #expect(try watch.lines(2001) == (0...2000).map(String.init))
  }

  @Test("without it the last line of a storm is the last value, and lines never go back")
  func latest() throws {
    try control.perform("set", "a", "0")
    let watch = try watch("a", lines: 1)
    try bench.hub.connect().storm("a", 2000)
    var numbers: [Int] = []
    for count in 1...2001 {
      numbers = try watch.lines(count).compactMap { Int($0) }
      if numbers.last == 2000 { break }
    }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
  }

  @Test("control characters are escaped, so that a value is one line")
  func escaped() throws {
    try control.perform("set", "a", "x\ny\u{1B}[2J\tz")
    #expect(try control.run("watch", "-1", "a").output == #"x\ny\u001b[2J\tz"# + "\n")
    try control.perform("set", "j", "{\n\"a\": 1\n}")
    #expect(try control.run("watch", "-1", "j").output == "{ \"a\": 1 }\n")
    try control.perform("set", "d", "--type", "data", "\u{1}")
    #expect(try control.run("watch", "-1", "d").output == "AQ==\n")
  }

  @Test("--json: a line for each event, with name, value, revision, kind, skipped and time")
  func json() throws {
    try control.perform("set", "a", "1")
    let watch = try watch("a", "--json", lines: 1)
    #expect(try control.run("set", "a", "text?", "--type", "string").status == 6)
    try control.perform("set", "a", "2")
    try control.perform("remove", "a")
    try control.perform("set", "a", "three")
    let lines = try watch.lines(4)
    let expected: [(String, String)] = [
      ("1", "initial"), ("2", "changed"), ("null", "removed"), ("\"three\"", "changed"),
    ]
    for (line, (value, kind)) in zip(lines, expected) {
      #expect(line.hasPrefix(#"{"name":"a","value":\#(value),"revision":"#), "\(line)")
      #expect(line.contains(#","kind":"\#(kind)","skipped":0,"time":"20"#), "\(line)")
      #expect(line.hasSuffix("Z\"}"))
    }
    #expect(lines.count == 4)
  }

  @Test("--markers adds the lines that concern no store, which do not count for -n")
  func markers() throws {
    try control.perform("set", "a", "1")
    let watch = try watch("a", "--json", "--markers", "-n", "2", lines: 2)
    try control.perform("set", "a", "2")
    let lines = try watch.lines(3)
    #expect(try watch.status() == 0)
    #expect(lines[0].contains(#""kind":"initial""#))
    #expect(lines[1].contains(#","kind":"synced","epoch":""#) && lines[1].hasPrefix(#"{"revision":"#))
    #expect(lines[2].contains(#""kind":"changed""#))
    let empty = try control.start("watch", "nothing", "--json", "--markers")
    #expect(try empty.lines(1)[0].contains(#","kind":"synced","epoch":""#))
  }

  @Test("a reader that stops is told how many changes it missed")
  func skipped() throws {
    try control.perform("set", "a", "0")
    let watch = try watch("a", "--json", lines: 1)
    watch.signal(SIGSTOP)
    // More than socket buffers hold, so that the hub has to leave some out.
    try bench.hub.connect().storm("a", 20_000)
    watch.signal(SIGCONT)
    var lines: [String] = []
    for count in 2...20_001 {
      lines = try watch.lines(count)
      if lines.last?.contains(#""value":20000,"#) == true { break }
    }
    let skipped = lines.compactMap { $0.firstMatch(of: /"skipped":([0-9]+)/) }.compactMap { Int($0.1) }
    #expect(skipped.contains { $0 > 0 })
    #expect(skipped.reduce(0, +) + lines.count - 1 == 20_000)
  }

  @Test(
    "when the reader of its output has gone it ends quietly with status 0, also if nothing changes any more")
  func brokenPipe() throws {
    try control.perform("set", "a", "1")
    let result = try control.shell("{ statectl watch a; echo $? >&2; } | head -n 1")
    #expect(result == Control.Result(status: 0, output: "1\n", errors: "0\n"))
  }

  @Test("--timeout ends it with status 124")
  func timeout() throws {
    try control.perform("set", "a", "1")
    // On a busy machine a short time can be over before the hub has answered.
    for time in ["200ms", "2s", "20s"] {
      let result = try control.run("watch", "a", "--timeout", time)
      #expect(result.status == 124)
      if result.output.isEmpty, time != "20s" { continue }
      #expect(result.output == "1\n")
      #expect(result.errors == "statectl: timed out\n")
      break
    }
    #expect(try control.run("watch", "a", "-1", "--timeout", "20").status == 0)
  }

  @Test("a full disk is reported")
  func fullDisk() throws {
    try control.perform("set", "a", "1")
    let result = try control.shell("statectl watch a > /dev/full")
    #expect(result.status == 1)
    #expect(result.errors == "statectl: cannot write the output: No space left on device\n")
    let closed = try control.shell("statectl get a >&-")
    #expect(closed.status == 1)
    #expect(closed.errors == "statectl: cannot write the output: Bad file descriptor\n")
  }
}
