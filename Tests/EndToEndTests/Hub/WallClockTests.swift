// A wall clock that is set while locks are held and lifetimes run: neither may notice.

import Glibc
import HubCore
import TestSupport
import Testing

/// A wall clock for some processes, which can be set.
private struct WallClock {
  private static let source = "\(checkout)/Tests/Fixtures/WallClock/jump.c"
  private let path: String
  /// What a process gets whose clock this is.
  let environment: [String: String?]

  init(in directory: TemporaryDirectory) throws {
    path = directory.file("wall-clock")
    let library = directory.file("jump.so")
    let compiler = try ChildProcess(
      "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", library, WallClock.source, "-ldl"],
      directory: directory)
    try #require(try compiler.status() == 0, "\(compiler.standardError)")
    environment = ["LD_PRELOAD": library, "WALL_CLOCK": path]
    try jump(to: 0)
  }

  /// How far it is from the machine's, in days. One that follows it sees it at once.
  func jump(to days: Int64) throws {
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(file) }
    var seconds = days * 86_400
    try #require(pwrite(file, &seconds, 8, 0) == 8)
  }
}

@Suite("A wall clock that is set", .blocking, .disabled(if: isSanitized, "its runtime must be loaded first"))
struct WallClockTests {
  private let directory: TemporaryDirectory
  private let clock: WallClock
  private let control: Control

  init() throws {
    directory = try TemporaryDirectory()
    clock = try WallClock(in: directory)
    control = Control(
      directory: directory, socket: directory.file("hub.sock"), variables: clock.environment)
  }

  private func startHub() throws -> HubProcess {
    try HubProcess(
      in: directory, arguments: ["--state-dir", directory.file("state")], environment: clock.environment)
  }

  /// The year of the hub's time stamps: it has the clock that is set.
  private func year() throws -> Int {
    try control.perform("set", "stamp", "\(UInt32.random(in: 0 ... .max))")
    let described = try control.run("describe", "stamp").output
    let year = try #require(described.firstMatch(of: /changed: +([0-9]{4})-/)).output.1
    return try #require(Int(year))
  }

  @Test("a lock stays with its holder, and the next number is greater")
  func locks() throws {
    var hub = try startHub()
    defer { hub.kill() }
    let now = try year()
    let script = ["--", "sh", "-c", "echo $STATEHUB_FENCE $$; exec sleep 3600"]
    let first = try control.start(["lock", "a", "--grace", "20s"] + script)
    let numbers = try first.lines(1)[0].split(separator: " ").compactMap { Int32($0) }
    var second = try control.start(["lock", "a"] + script)
    try hub.waitForWatches(2)
    for days in [3650, -3650, 0] as [Int64] {
      try clock.jump(to: days)
      #expect(try year() == now + Int(days.signum()) * 10 || days == 0)
      #expect(try control.run("get", "a.fence").status == 0)
      #expect(first.poll(milliseconds: 100) == nil && second.standardOutput.isEmpty)
    }
    // The hub dies while the clock is years ahead, and comes back while it is behind. One that waits would have its chance then.
    second.signal(SIGTERM)
    _ = try second.status()
    try clock.jump(to: 3650)
    hub.kill()
    try clock.jump(to: -3650)
    hub = try startHub()
    try hub.waitForWatches(1)
    second = try control.start(["lock", "a"] + script)
    try hub.waitForWatches(2)
    #expect(first.poll(milliseconds: 100) == nil && second.standardOutput.isEmpty)
    kill(numbers[1], SIGTERM)
    #expect(try first.status() == 143)
    let next = try second.lines(1)[0].split(separator: " ").compactMap { Int32($0) }
    #expect(next[0] > numbers[0])
    second.signal(SIGTERM)
    #expect(try second.status() == 143)
  }

  @Test("a time to live is as long as it was said, across a reload and a kill of the hub as well")
  func lifetimes() throws {
    var hub = try startHub()
    defer { hub.kill() }
    try control.perform("set", "long", "1", "--ttl", "1h")
    let start = ContinuousClock.now
    try control.perform("set", "short", "1", "--ttl", "3s")
    let end = try control.start("wait", "short", "absent", "--timeout", "60s")
    try hub.waitForWatches(1)
    try clock.jump(to: 3650)
    #expect(try control.run("get", "short", "long").output == "short\t1\nlong\t1\n")
    #expect(try control.run("reload").status == 0)
    #expect(try control.run("get", "long").output == "1\n")
    try clock.jump(to: -3650)
    #expect(try end.status() == 0)
    #expect(ContinuousClock.now - start > .seconds(3) && ContinuousClock.now - start < .seconds(30))
    hub.kill()
    try clock.jump(to: 3650)
    hub = try startHub()
    #expect(try control.run("get", "long").output == "1\n")
    #expect(try control.run("describe", "long").output.contains("ends in 35"))
  }
}
