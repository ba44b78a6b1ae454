// Several client processes and a hub that goes: nothing is lost, nobody waits for another, every stream goes on.

import Glibc
import HubClient
import TestSupport
import Testing

@Suite(.blocking, .serialized) struct ProcessTests {
  private func worker(_ role: String, _ hub: HubProcess, _ count: Int, _ directory: TemporaryDirectory) throws
    -> ChildProcess
  {
    try ChildProcess(
      ChildProcess.built("HubWorker"), [role, hub.socket, "n", String(count)], directory: directory)
  }

  @Test("four processes that update a store 2,500 times each end on exactly 10,000")
  func updates() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let number = hub.hub(name: "test").value("n", of: Int.self)
    try await number.set(0)
    let workers = try (0..<4).map { _ in try worker("update", hub, 2_500, directory) }
    for worker in workers { #expect(try worker.wait() == .status(0)) }
    #expect(try await number.get() == 10_000)
  }

  @Test("a hub made while too few descriptors are left says so, and works once there are more")
  func starved() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let starved = try worker("starve", hub, 7, directory)
    #expect(try starved.wait() == .status(0))
    #expect(starved.standardOutput.contains("cannot wait for a hub: Too many open files; raise `ulimit -n`"))
    #expect(try await hub.hub(name: "test").value("n", of: Int.self).get() == 7)
  }

  @Test(
    "Honest: a watcher that is stopped delays no one, and when it continues sees the newest value and what it skipped"
  )
  func stoppedWatcher() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let number = hub.hub(name: "test").value("n", of: Int.self)
    try await number.set(0)
    let count = 5_000
    let follower = try worker("follow", hub, count, directory)
    try hub.waitForWatches(1)
    follower.signal(SIGSTOP)
    for value in 1...count { try await number.set(value) }
    follower.signal(SIGCONT)
    #expect(try follower.wait() == .status(0))
    let report = follower.standardOutput.split(separator: " ").compactMap {
      Int($0.filter(\.isNumber))
    }
    try #require(report.count == 2, "the follower says: \(follower.standardOutput) \(follower.standardError)")
    // The value before the first change is an event of its own.
    #expect(report[0] + report[1] == count + 1)
    #expect(report[1] > 0, "nothing was skipped: the test has shown nothing")
  }

  @Test("the hub is killed and restarted under 100 watchers, and every stream continues")
  func restartUnderWatchers() async throws {
    let directory = try TemporaryDirectory()
    let first = try HubProcess(in: directory)
    let socket = first.socket
    try await Hub.patient(socket, name: "test").value("n", of: Int.self).set(1)
    // A watch is open before its task has run: killed too early, the hub would take the value along.
    let (shown, watchers) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let number = Hub.patient(socket, name: "watcher").value("n", of: Int.self)
          var seen: [Int] = []
          for try await value in number.values {
            seen.append(value)
            if value == 1 { watchers.yield() }
            if value == 2 { return seen == [1, 2] }
          }
          return false
        }
      }
      try first.waitForWatches(100)
      for await _ in shown.prefix(100) {}
      first.kill()
      let second = try HubProcess(in: directory)
      try second.waitForWatches(100)
      try await Hub.patient(socket, name: "test").value("n", of: Int.self).set(2)
      for try await isComplete in group { #expect(isComplete) }
      second.kill()
    }
  }
}
