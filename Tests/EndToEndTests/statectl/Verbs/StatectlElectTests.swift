// statectl elect: one leader, the next one when it dies, and standing again.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl elect", .blocking)
final class StatectlElectTests: BenchSuite {
  private func candidate(_ name: String) throws -> ChildProcess {
    try control.start("elect", "leader", "--", "sh", "-c", "echo \(name) $STATEHUB_FENCE $$; exec sleep 3600")
  }

  /// The number of the leader's command, once it leads for the `count`th time.
  private func command(of candidate: ChildProcess, time count: Int = 1) throws -> Int32 {
    try #require(Int32(try candidate.lines(count)[count - 1].split(separator: " ")[2]))
  }

  @Test("the next one leads when the leader is killed")
  func succession() throws {
    let first = try candidate("first")
    let command = try command(of: first)
    let second = try candidate("second")
    try bench.hub.waitForWatches(2)
    #expect(second.poll(milliseconds: 100) == nil)
    #expect(second.standardOutput.isEmpty)
    first.kill()
    kill(command, SIGKILL)
    _ = try second.lines(1)
    second.signal(SIGTERM)
    #expect(try second.status() == 143)
  }

  @Test("who loses the leadership ends the command, and stands again")
  func again() throws {
    let first = try candidate("first")
    let command = try command(of: first)
    // Another one is the leader now, by force.
    try control.perform("txn", input: "set leader usurper --ttl 300ms\n")
    _ = try self.command(of: first, time: 2)
    #expect(kill(command, 0) != 0)
    #expect(first.standardError.hasPrefix("statectl: leader: the leadership was lost: "))
    first.signal(SIGTERM)
    #expect(try first.status() == 143)
  }

  @Test("it stands again after the hub was away")
  func hubReplaced() throws {
    let first = try candidate("first")
    _ = try command(of: first)
    try bench.replaceHub()
    _ = try command(of: first, time: 2)
    first.signal(SIGTERM)
    #expect(try first.status() == 143)
  }

  @Test("it ends with the command, when that ends by itself")
  func end() throws {
    #expect(try control.run("elect", "leader", "--", "sh", "-c", "exit 7").status == 7)
    #expect(try control.run("get", "leader").status == 4)
  }

  @Test("a signal ends it for good, even while the command is being ended")
  func stopped() throws {
    let script = "trap '' TERM; echo ready; while :; do sleep 0.01; done"
    let first = try control.start("elect", "leader", "--kill-after", "300ms", "--", "sh", "-c", script)
    _ = try first.lines(1)
    try control.perform("remove", "leader")
    first.signal(SIGTERM)
    #expect(try first.status() == 137)
    #expect(first.standardOutput == "ready\n")
  }
}
