// The scripts of docs/statectl.md, word for word, each in the shell that its block names.

import HubCore
import TestSupport
import Testing

@Suite("The scripts for statectl", .blocking)
struct StatectlScriptTests {
  private let bench: Bench
  private let control: Control

  init() throws {
    bench = try Bench()
    control = bench.control
  }

  private static let all = PageBlock.all(of: "docs/statectl.md").filter {
    ["sh", "bash"].contains($0.language)
  }

  /// The one script in which this stands.
  private func script(_ part: String) throws -> PageBlock {
    let found = Self.all.filter { $0.text.contains(part) }
    return try #require(found.count == 1 ? found[0] : nil, "\(found.count) scripts have \(part)")
  }

  private func start(_ script: PageBlock, before: String = "") throws -> ChildProcess {
    try control.startShell(before + "\n" + script.text + "\n", in: script.language)
  }

  @Test("are all tried here")
  func all() {
    #expect(Self.all.count == 6)
  }

  @Test("the provider refuses what is too much, and accepts the rest")
  func provider() throws {
    let run = try start(script("statectl provide light.level"))
    #expect(try run.status() == 0)
    #expect(run.standardOutput == "status 6\n")
    #expect(run.standardError == "statectl: light.level: at most 100\n")
    #expect(try control.run("get", "light.level").output == "80\n")
  }

  @Test("the increment loses nobody's change")
  func increment() throws {
    try control.perform("set", "jobs.left", "1000")
    let script = try script("jobs.left")
    let runs = try (0..<8).map { _ in try start(script) }
    for run in runs {
      #expect(try run.status() == 0)
      #expect(run.standardOutput.isEmpty)
    }
    // Halved and rounded up, eight times.
    #expect(try control.run("get", "jobs.left").output == "4\n")
    try control.perform("remove", "jobs.left")
    let without = try start(script)
    #expect(try without.status() != 0)
  }

  /// Does a part of the work, and then what is typed.
  private func worker(_ keyboard: Keyboard) -> String {
    "exec 3< \(keyboard.path); back_up_the_next_part() { echo part; read -r word <&3; [ \"$word\" = more ]; }"
  }

  @Test("only one is the owner, as long as it says so, and then the next may be")
  func owner() throws {
    let script = try script("backup.owner $$ --if-absent")
    let keyboard = try Keyboard(in: bench.directory)
    let owner = try start(script, before: worker(keyboard))
    _ = try owner.lines(1)
    let pid = try control.run("get", "backup.owner").output
    #expect(pid == "\(owner.pid)\n")
    let other = try start(script, before: "back_up_the_next_part() { echo other; }")
    #expect(try other.status() == 5)
    #expect(other.standardOutput.isEmpty)
    for part in 2...4 {
      // Each round sets the end anew.
      try control.perform("set", "backup.owner", "\(owner.pid)", "--if-value", "\(owner.pid)", "--ttl", "1h")
      try keyboard.type("more")
      _ = try owner.lines(part)
      #expect(try control.run("describe", "backup.owner").output.contains(/ttl: +ends in (29|30)\./))
    }
    try keyboard.type("enough")
    #expect(try owner.status() == 0)
    #expect(try control.run("wait", "backup.owner", "absent", "--timeout", "10s").status == 0)
    let second = try Keyboard(in: bench.directory, name: "second")
    let next = try start(script, before: worker(second))
    _ = try next.lines(1)
    // Whose time was over while it slept finds another owner, and leaves it in peace.
    try control.perform("set", "backup.owner", "1")
    try second.type("more")
    #expect(try next.status() == 5)
    #expect(next.standardOutput == "part\n")
    #expect(try control.run("get", "backup.owner").output == "1\n")
  }

  @Test("what waits continues when something is ready and nobody else is at it, and gives up in time")
  func waiting() throws {
    let script = try script("database.ready")
    try control.perform("set", "backup.owner", "1", "--ttl", "1h")
    let waiting = try start(script)
    try bench.hub.waitForWatches(1)
    try control.perform("set", "database.ready", "true")
    #expect(waiting.poll(milliseconds: 50) == nil)
    try control.perform("remove", "backup.owner")
    #expect(try waiting.status() == 0)
    try control.perform("set", "database.ready", "false")
    let late = try control.startShell(script.text.replacing("1m", with: "50ms"))
    #expect(try late.status() == 124)
  }

  @Test("what a lock's holder changes is changed only if nobody had the lock after it")
  func fencing() throws {
    let script = try script("report.fence")
    try control.perform("set", "report.count", "0")
    for _ in 0..<2 {
      let run = try start(script)
      #expect(try run.status() == 0, "\(run.standardError)")
    }
    #expect(try control.run("get", "report.count").output == "2\n")
    // Somebody else has the lock in between.
    let late = try control.startShell(
      script.text.replacing("statectl txn", with: "statectl set report.fence x; statectl txn"))
    #expect(try late.status() == 5)
    #expect(try control.run("get", "report.count").output == "2\n")
  }

  @Test("several stores are followed line by line")
  func following() throws {
    try control.perform("set", "audio.volume", "4")
    let following = try start(try script("read -r name value"))
    #expect(try following.lines(1) == ["audio.volume is 4 now"])
    try control.perform("set", "audio.title", "two words\tand a tab")
    #expect(try following.lines(2).last == #"audio.title is two words\tand a tab now"#)
  }
}
