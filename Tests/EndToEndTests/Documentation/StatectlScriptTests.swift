// The scripts of docs/statectl.md, word for word, each in the shell that its block names.

import HubCore
import TestSupport
import Testing

@Suite("The scripts for statectl", .blocking)
final class StatectlScriptTests: BenchSuite {
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
    #expect(Self.all.count == 4)
  }

  @Test("the provider refuses what is too much, and accepts the rest")
  func provider() throws {
    let run = try start(script("statectl provide light.level"))
    #expect(try run.status() == 0)
    #expect(run.standardOutput == "status 6\n")
    #expect(run.standardError == "statectl: light.level: at most 100\n")
    #expect(try control.run("get", "light.level").output == "80\n")
  }

  @Test("a value is computed when it is read, and a glob shows the last one")
  func computed() throws {
    let run = try start(script("statectl provide count.reads"))
    #expect(try run.status() == 0)
    #expect(run.standardOutput == "1\n2\ncount.reads\t2\n")
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

  @Test("several stores are followed line by line")
  func following() throws {
    try control.perform("set", "audio.volume", "4")
    let following = try start(try script("read -r name value"))
    #expect(try following.lines(1) == ["audio.volume is 4 now"])
    try control.perform("set", "audio.title", "two words\tand a tab")
    #expect(try following.lines(2).last == #"audio.title is two words\tand a tab now"#)
  }
}
