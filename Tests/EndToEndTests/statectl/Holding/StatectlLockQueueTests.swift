// The queue of a lock: the order of those who wait, several holders, shared holders.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("The queue of a lock", .blocking)
struct StatectlLockQueueTests {
  private let directory: TemporaryDirectory
  private let control: Control
  private let hub: HubProcess

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory, arguments: ["--state-dir", directory.file("state")])
    control = Control(directory: directory, socket: hub.socket)
  }

  /// A command that says that it runs, and ends when the file is there.
  private func running(until file: String) -> String {
    "echo runs; while ! [ -e \(directory.file(file)) ]; do sleep 0.01; done"
  }

  private func lock(_ words: String..., until file: String) throws -> ChildProcess {
    let holder = try control.start(["lock", "a"] + words + ["--", "sh", "-c", running(until: file)])
    _ = try holder.lines(1)
    return holder
  }

  /// Starts one that waits, and returns once it has its place in the queue.
  private func waiter(
    _ place: Int, _ words: [String] = [], _ command: String = "true"
  ) throws -> ChildProcess {
    let waiter = try control.start(["lock", "a"] + words + ["--", "sh", "-c", command])
    let client = try hub.connect()
    let tickets = try NamePattern("a.queue.*")
    try waiter.wait(until: "\(place) wait") {
      guard case .listed(let stores, _) = try client.call(.list(tickets)) else { return false }
      return stores.count == place
    }
    return waiter
  }

  private func requests() throws -> UInt64 { try statistic("requests", hub.connect()) }

  private func statistic(_ name: String, _ client: RawClient) throws -> UInt64 {
    guard case .statistics(let statistics) = try client.call(.stats) else { return 0 }
    return statistics.first { $0.name == name }?.value ?? 0
  }

  @Test("those who wait have it in the order in which they came, and no end wakes all of them")
  func queue() throws {
    let log = directory.file("log")
    let first = try lock(until: "free")
    defer { withExtendedLifetime(first) {} }
    var waiters: [ChildProcess] = []
    for number in 0..<20 {
      waiters.append(try waiter(number + 1, [], "echo \(number) >> \(log)"))
    }
    // One that gives up, and one that is killed, hold nobody up.
    waiters[7].kill()
    waiters[12].signal(SIGINT)
    #expect(try waiters[12].status() == 130)
    let before = try requests()
    try directory.write("", to: "free")
    #expect(try first.status() == 0)
    for (number, waiter) in waiters.enumerated() where number != 7 && number != 12 {
      #expect(try waiter.status() == 0, "\(waiter.standardError)")
    }
    let order = (0..<20).filter { $0 != 7 && $0 != 12 }
    #expect(readFile(log).split(separator: "\n").compactMap { Int($0) } == order)
    #expect(try requests() - before < 15 * 18)
    #expect(try control.run("list").output == "a.fence\na.queue\n")
  }

  @Test("a release wakes one waiter, and the next one moves up, however many wait")
  func release() throws {
    var holder = try lock(until: "go")
    var waiters = try (0..<20).map { try waiter($0 + 1, [], running(until: "go.\($0)")) }
    let client = try hub.connect()
    var questions: UInt64 = 0
    func ask(_ name: String) throws -> UInt64 {
      questions += 1
      return try statistic(name, client)
    }
    // The holder follows its own store, the first waiter three patterns, every other one a ticket.
    func rest() throws {
      try waiters[0].wait(until: "rest") { try ask("watches") == waiters.count + 3 }
    }
    /// Events that were sent, and requests besides the test's own.
    func counters() throws -> (deliveries: UInt64, requests: UInt64) {
      (try ask("deliveries"), try ask("requests") - questions)
    }
    try rest()
    for number in 0..<18 {
      let before = try counters()
      try directory.write("", to: number == 0 ? "go" : "go.\(number - 1)")
      #expect(try holder.status() == 0)
      holder = waiters.removeFirst()
      _ = try holder.lines(1)
      try rest()
      let after = try counters()
      #expect(after.deliveries - before.deliveries <= 9)
      #expect(after.requests - before.requests <= 12)
    }
    for waiter in waiters { waiter.kill() }
    try directory.write("", to: "go.17")
    #expect(try holder.status() == 0)
  }

  @Test("with -n so many have it at a time, and the next one waits for any of them")
  func several() throws {
    let first = try lock("-n", "2", until: "first")
    let second = try lock("-n", "2", until: "second")
    #expect(try control.run("lock", "a", "-n", "2", "--wait", "0", "--", "true").status == 124)
    let third = try waiter(1, ["-n", "2"], running(until: "third"))
    let alone = try waiter(2)
    try directory.write("", to: "second")
    _ = try third.lines(1)
    #expect(try second.status() == 0)
    try directory.write("", to: "first")
    #expect(try first.status() == 0)
    // An exclusive one waits until all have ended.
    #expect(alone.poll(milliseconds: 50) == nil)
    try directory.write("", to: "third")
    #expect(try alone.status() == 0)
    #expect(try third.status() == 0)
  }

  @Test("--shared holders have it together, and none passes an exclusive one that waits")
  func shared() throws {
    let readers = try (0..<3).map { _ in try lock("--shared", until: "read") }
    #expect(try control.run("lock", "a", "--wait", "0", "--", "true").status == 124)
    let writer = try waiter(1, [], running(until: "written"))
    #expect(try control.run("lock", "a", "--shared", "--wait", "0", "--", "true").status == 124)
    let late = try waiter(2, ["--shared"], running(until: "read"))
    try directory.write("", to: "read")
    for reader in readers { #expect(try reader.status() == 0) }
    _ = try writer.lines(1)
    #expect(late.standardOutput.isEmpty)
    try directory.write("", to: "written")
    #expect(try writer.status() == 0)
    #expect(try late.status() == 0)
  }

  @Test("a shared holder whose store is removed has lost the lock, and no crash of the hub gives it back")
  func sharedLost() throws {
    let first = try lock("--shared", until: "never")
    try control.perform("remove", "a.holders.*", "--yes")
    #expect(try first.status() == 11)
    let second = try lock("--shared", until: "never")
    hub.kill()
    #expect(try second.status() == 11)
    #expect(try control.run("lock", "a", "--shared", "--grace", "1s", "--", "true").status == 2)
  }

  @Test(
    "a permanent store where a waiter's or a holder's should be is reported, and not waited for",
    arguments: ["a.queue.0000000000000000", "a.holders.x"])
  func permanentStore(name: String) throws {
    try control.perform("set", name, "text")
    let refused = try control.run("lock", "a", "--wait", "1m", "--", "true")
    #expect(refused.status == 6 && refused.errors.hasPrefix("statectl: \(name): is not a lock"), "\(refused)")
    try control.perform("remove", name)
    #expect(try control.run("lock", "a", "--", "true").status == 0)
  }

  @Test("the longest name has room for those of the lock's stores, and a longer one is refused at once")
  func longNames() throws {
    let name = String(repeating: "n", count: 232)
    for words in [[], ["-n", "1"]] {
      let first = try control.start(["lock", name] + words + ["--", "sh", "-c", running(until: "never")])
      _ = try first.lines(1)
      #expect(try control.run(["lock", name] + words + ["--wait", "100ms", "--", "true"]).status == 124)
      first.signal(SIGTERM)
      #expect(try first.status() == 143)
    }
    let refused = try control.run("lock", name + "n", "--", "true")
    #expect(refused.status == 6 && refused.errors.contains("at most 232 bytes"), "\(refused)")
  }

  @Test("an upgrade of the hub keeps the order of the queue; after a crash all queue again")
  func restarts() throws {
    let log = directory.file("log")
    func wait(until file: String) throws -> (holder: ChildProcess, waiters: [ChildProcess]) {
      let holder = try lock(until: file)
      return (holder, try (0..<6).map { try waiter($0 + 1, [], "echo \($0) >> \(log)") })
    }
    func logged() -> [Int] { readFile(log).split(separator: "\n").compactMap { Int($0) } }
    let first = try wait(until: "free")
    hub.process.signal(SIGUSR2)
    #expect(try control.run("reload").status == 0)
    try directory.write("", to: "free")
    for waiter in first.waiters { #expect(try waiter.status() == 0, "\(waiter.standardError)") }
    #expect(try first.holder.status() == 0)
    #expect(logged() == Array(0..<6))
    let second = try wait(until: "never")
    hub.kill()
    #expect(try second.holder.status() == 11)
    let next = try HubProcess(in: directory, arguments: ["--state-dir", directory.file("state")])
    defer { next.kill() }
    for waiter in second.waiters { #expect(try waiter.status() == 0, "\(waiter.standardError)") }
    #expect(logged().count == 12 && Set(logged().suffix(6)) == Set(0..<6))
  }
}
