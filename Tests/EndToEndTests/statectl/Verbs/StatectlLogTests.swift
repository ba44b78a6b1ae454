// The past in statectl: log, get --at and watch --since, with a hub that keeps history, forgets some, or keeps none.

import HubCore
import TestSupport
import Testing

@Suite("statectl and the past", .blocking)
struct StatectlLogTests {
  private let bench: Bench
  private let control: Control

  init() throws {
    bench = try Bench(configuration: "{ historyBytes: 3000 }")
    control = bench.control
  }

  private func fill() throws {
    try control.perform("set", "a", "1")
    try control.perform("set", "b.c", "hello")
    try control.perform("txn", input: "set a 2\nset b.c world\n")
    try control.perform("remove", "b.c")
    try control.perform("set", "a", "3")
  }

  /// Enough to forget what was before.
  private func overwrite() throws {
    for number in 0..<4 { try control.perform("set", "long.\(number)", String(repeating: "x", count: 900)) }
  }

  @Test("log prints each change with the value before and who made it")
  func log() throws {
    try fill()
    let result = try control.run("log")
    let lines = result.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(result.status == 0 && lines.count == 7)
    #expect(lines[0].joined(separator: " ") == "TIME REVISION STORE OLD NEW USER PID CLIENT")
    let expected = [
      "1 a - 1 set", "2 b.c - hello set", "3 a 1 2 txn", "3 b.c hello world txn", "4 b.c world - remove",
      "5 a 2 3 set",
    ]
    for (line, expected) in zip(lines.dropFirst(), expected) {
      #expect((line[1...4] + line.suffix(1)).joined(separator: " ") == expected && line.contains("statectl"))
    }
    #expect(try control.run("log", "a", "-n", "1").output.split(separator: "\n").count == 2)
    #expect(try control.run("log", "b.*", "--since", "2").output.split(separator: "\n").count == 3)
    let nothing = try control.run("log", "nothing.*")
    #expect(nothing.status == 0 && nothing.output.split(separator: "\n").count == 1)
    let json = try control.run("log", "a", "--json", "--since", "1").output.split(separator: "\n")
    #expect(
      json.count == 2
        && json[0].contains("\"name\":\"a\",\"kind\":\"changed\",\"previous\":1,\"value\":2,\"uid\":"))
    #expect(json[0].contains("\"pid\":") && json[0].hasSuffix("\"client\":\"statectl txn\"}"))
  }

  @Test("get --at prints what a store was, and says where that is not known")
  func at() throws {
    try fill()
    #expect(try control.run("get", "--at", "3", "a", "b.c").output == "a\t2\nb.c\tworld\n")
    #expect(try control.run("get", "--at", "2", "a", "--show-revision").output == "1\t1\n")
    #expect(try control.run("get", "--at", "5", "a").output == "3\n")
    let absent = try control.run("get", "--at", "4", "b.c", "a")
    #expect(absent.status == 4 && absent.output == "a\t2\n" && absent.errors.contains("at revision 4"))
    #expect(try control.run("get", "--at", "1", "b.c").status == 4)
    let future = try control.run("get", "--at", "6", "a")
    #expect(future.status == 6 && future.errors.contains("only at revision 5"))
    try overwrite()
    #expect(try control.run("get", "--at", "7", "a").output == "3\n")
    let forgotten = try control.run("get", "--at", "2", "a")
    #expect(forgotten.status == 6 && forgotten.errors.contains("is unknown"))
    #expect(try control.run("get", "--at", "2", "a", "--default", "1").status == 2)
  }

  @Test("watch --since tells what was changed, then what changes")
  func since() throws {
    try fill()
    let all = try control.start("watch", "a", "b.*", "--since", "1", "--json")
    let first = try all.lines(5)
    #expect(first[0].hasPrefix("{\"name\":\"b.c\",\"value\":\"hello\",\"revision\":2,\"kind\":\"changed\""))
    #expect(first[3].hasPrefix("{\"name\":\"b.c\",\"value\":null,\"revision\":4,\"kind\":\"removed\""))
    try control.perform("set", "a", "4")
    #expect(try all.lines(6)[5].hasPrefix("{\"name\":\"a\",\"value\":4,\"revision\":6,\"kind\":\"changed\""))
    #expect(try control.run("watch", "a", "--since", "1", "-n", "2").output == "2\n3\n")
    for words in [["log"], ["watch", "a"]] {
      let future = try control.start(words + ["--since", "7"])
      #expect(try future.status() == 6 && future.standardError.contains("only at revision 6"))
    }
    #expect(try control.run("watch", "a", "--since", "1", "--changes-only").status == 2)
    let now = try control.start("watch", "a", "--since", "6")
    try bench.hub.waitForWatches(3)
    try control.perform("set", "a", "5")
    #expect(try now.lines(1) == ["5"])
    try overwrite()
    let forgotten = try control.run("watch", "a", "--since", "1")
    #expect(forgotten.status == 6 && forgotten.output.isEmpty && forgotten.errors.contains("has kept"))
    #expect(try control.run("log", "a", "--since", "1").status == 6)
    #expect(try control.run("log", "long.3").output.split(separator: "\n").count == 2)
  }

  @Test("a revision with its epoch is good in that epoch only")
  func epochs() throws {
    try fill()
    let bookmark = try control.run("watch", "a", "-1", "--format", "{bookmark}").output.dropLast()
    let epoch = bookmark.prefix(32)
    #expect(bookmark.count == 34 && bookmark.hasSuffix(":5"))
    #expect(try control.run("ping", "--json").output.contains("\"epoch\":\"\(epoch)\""))
    #expect(try control.run("watch", "a", "--since", "\(epoch):1", "-n", "2").output == "2\n3\n")
    #expect(try control.run("log", "a", "--since", "\(epoch):1").output.split(separator: "\n").count == 3)
    #expect(try control.run("get", "--at", "\(epoch):3", "a").output == "2\n")
    #expect(try control.run("set", "a", "3", "--if-revision", "\(epoch):5").status == 0)
    let exec = try control.run(
      "watch", "a", "-1", "--exec", "sh", "-c", "echo $STATEHUB_EPOCH:$STATEHUB_REVISION")
    #expect(exec.output == "\(bookmark)\n")

    try bench.replaceHub()
    try fill()
    for words in [["log"], ["watch", "a"]] {
      let other = try control.start(words + ["--since", String(bookmark)])
      #expect(try other.status() == 6 && other.standardError.contains("another epoch"))
      #expect(other.standardOutput.isEmpty)
    }
    #expect(try control.run("get", "--at", String(bookmark), "a").status == 6)
    #expect(try control.run("set", "a", "4", "--if-revision", String(bookmark)).status == 5)
    #expect(try control.run("remove", "a", "--if-revision", String(bookmark)).status == 5)
    let pipe = try control.run(
      "pipe", input: "{\"op\": \"set\", \"name\": \"a\", \"value\": 4, \"ifRevision\": \"\(bookmark)\"}\n")
    #expect(pipe.output.contains("another epoch"))
    // A number alone is one of the hub's epoch.
    #expect(try control.run("set", "a", "4", "--if-revision", "5").status == 0)
    for wrong in ["x", "\(epoch):", ":5", "\(epoch)0:5", "+\(epoch.dropFirst()):5", "\(epoch):5:5", "-1"] {
      let run = try control.run("log", "--since", wrong)
      #expect(run.status == 2 && run.errors.contains("EPOCH:N"), "\(wrong)")
    }
  }

  /// Sets a number so many times, each at a revision of its own.
  private func count(to last: Int, in bench: Bench) throws {
    let lines = (1...last).map { "{\"op\":\"set\",\"name\":\"n\",\"value\":\($0)}\n" }
    #expect(try bench.control.run("pipe", input: lines.joined()).status == 0)
  }

  @Test("log reads many pages, also within one revision, and no change is missing or comes twice")
  func pages() throws {
    let bench = try Bench(configuration: "{ historyBytes: 4194304 }")
    try count(to: 1500, in: bench)
    let batch = (1501...4000).map { "set n \($0)\n" }
    #expect(try bench.control.run("txn", input: batch.joined()).status == 0)
    let lines = try bench.control.run("log", "--json").output.split(separator: "\n")
    #expect(lines.count == 4000)
    for (index, line) in lines.enumerated() {
      let before = index == 0 ? "null" : "\(index)"
      #expect(line.contains("\"previous\":\(before),\"value\":\(index + 1),"))
    }
    let last = try bench.control.run("log", "-n", "2").output.split(separator: "\n")
    #expect(last.count == 3 && last[1].contains(" 3998  3999 ") && last[2].contains(" 3999  4000 "))
    #expect(try bench.control.run("get", "--at", "1200", "n").output == "1200\n")
    #expect(
      try bench.control.run("watch", "n", "--since", "1400", "-n", "101").output.hasSuffix("\n1500\n1501\n"))
  }

  @Test("what is forgotten while it is read is a failure, not a silent gap")
  func gap() throws {
    let bench = try Bench(configuration: "{ historyBytes: 400000 }")
    try count(to: 3000, in: bench)
    // Nobody reads on before all of it is overwritten: log cannot have printed more than its first page.
    let forget =
      "for i in 1 2 3 4 5 6; do head -c 90000 /dev/zero | tr '\\0' x | statectl set long.$i -; done"
    let read = try bench.control.startShell(
      "{ statectl log --json; echo $? >&2; } | { read -r first; \(forget); cat; }", in: "bash")
    #expect(try read.status() == 0)
    #expect(read.standardError.contains("has kept only changes after revision"))
    #expect(read.standardError.hasSuffix("\n6\n"))
    let values = read.standardOutput.split(separator: "\n").map { $0.contains("\"name\":\"n\"") }
    // The rest of the page. What is behind the gap is newer than the question.
    #expect((1..<2999).contains(values.count) && values.allSatisfy { $0 })
  }

  @Test("a reload keeps the history, and an upgrade begins with an empty one")
  func renewal() throws {
    try fill()
    let kept = try control.run("log").output
    #expect(try control.run("reload").status == 0)
    #expect(try control.run("log").output == kept)
    try bench.upgrade()
    #expect(try control.run("log").output.split(separator: "\n").count == 1)
    #expect(try control.run("get", "--at", "3", "b.c").status == 6)
    #expect(try control.run("get", "--at", "5", "a", "b.c").output == "a\t3\n")
    try control.perform("set", "a", "4")
    #expect(try control.run("log", "--since", "5").output.split(separator: "\n").count == 2)
    #expect(try control.run("log", "--since", "4").status == 6)
  }

  @Test("a hub that keeps none says what to set")
  func off() throws {
    let bench = try Bench()
    try bench.control.perform("set", "a", "1")
    try bench.control.perform("set", "a", "2")
    for words in [["log"], ["get", "--at", "1", "a"], ["watch", "a", "--since", "1"]] {
      let run = try bench.control.start(words)
      #expect(try run.status() == 1 && run.standardError.contains("historyBytes"))
    }
    // What has not changed since needs no history.
    #expect(try bench.control.run("get", "--at", "2", "a").output == "2\n")
  }
}
