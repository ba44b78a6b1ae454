// What `--timeout` promises, for each verb: with a hub that has stopped, statectl ends in that time.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl's time-outs", .blocking)
struct StatectlTimeoutTests {
  private static let timeout = Duration.milliseconds(500)
  /// What a verb may take beyond that.
  private static let allowance = Duration.milliseconds(200)
  /// A busy machine delays one attempt, and hardly so many.
  private static let attempts = 6

  private static let verbs: [[String]] = [
    ["get", "a"], ["get", "a.*"], ["set", "a", "1"], ["add", "a", "1"], ["toggle", "a"], ["reset", "a"],
    ["remove", "a"], ["create", "a", "--type", "integer"], ["describe", "a"], ["list"], ["log"], ["stats"],
    ["clients"], ["claims"], ["ping"], ["watch", "a"], ["wait", "a", "eq", "1"], ["dump"], ["access", "a"],
    ["monitor"], ["top"], ["plot", "a", "-n", "1"], ["bench", "ping"],
  ]

  @Test("each verb ends within its time-out when the hub has stopped", arguments: StatectlTimeoutTests.verbs)
  func stopped(_ words: [String]) throws {
    let directory = try TemporaryDirectory()
    // It listens, and accepts nothing: as a stopped process does.
    let hub = try PlayedHub(at: directory.file("hub.sock"))
    var late: [Duration] = []
    while late.count < StatectlTimeoutTests.attempts {
      let start = ContinuousClock.now
      let process = try ChildProcess(
        ChildProcess.built("statectl"), ["--socket", hub.path, "--timeout", "500ms"] + words,
        directory: directory)
      try process.wait()
      let taken = ContinuousClock.now - start
      if taken <= StatectlTimeoutTests.timeout + StatectlTimeoutTests.allowance { return }
      late.append(taken)
    }
    Issue.record("statectl \(words.joined(separator: " ")) is late each time: \(late)")
  }

  @Test(
    "top and bench end within their time-out at a hub that stops while they run",
    arguments: [
      ["top", "--once", "--interval", "10s"],
      ["bench", "ping", "-c", "1", "--requests", "1000000000"],
    ])
  func stopping(_ words: [String]) throws {
    let bench = try Bench()
    let observer = try bench.hub.connect()
    func isClient() throws -> Bool {
      guard case .clients(let clients, _) = try observer.call(.clients()) else { return false }
      return clients.contains { $0.name == "statectl \(words[0])" }
    }
    var late: [Duration] = []
    while late.count < StatectlTimeoutTests.attempts {
      let start = ContinuousClock.now
      let process = try bench.control.start(["--timeout", "500ms"] + words)
      try process.wait(until: "it is a client", isClient)
      bench.hub.process.signal(SIGSTOP)
      defer { bench.hub.process.signal(SIGCONT) }
      try process.wait()
      let taken = ContinuousClock.now - start
      if taken <= StatectlTimeoutTests.timeout + StatectlTimeoutTests.allowance { return }
      late.append(taken)
    }
    Issue.record("it is late each time: \(late)")
  }

  @Test("a watch ends with its time-out although nobody reads what it prints, and a reader gets all of it")
  func standingReader() throws {
    let bench = try Bench()
    let value = String(repeating: "x", count: 300_000)
    try bench.control.perform("set", "a", "-", input: value)
    let pipe = bench.directory.file("pipe")
    let standing = try bench.control.shell(
      "mkfifo \(pipe) && exec 3<>\(pipe) && statectl --timeout 300ms watch a >\(pipe)")
    #expect(standing.status == 124)
    #expect(standing.errors.hasPrefix("statectl: timed out"))
    let reading = try bench.control.shell("statectl --timeout 2m watch -1 a | wc -c")
    #expect(reading.output == "\(value.utf8.count + 1)\n")
  }

  @Test(
    "a path that no socket can have is an error at once, which names it, also for verbs that wait",
    arguments: [
      ["get", "a"], ["watch", "a"], ["wait", "a", "eq", "1"], ["hold", "a", "1", "--", "true"], ["top"],
      ["monitor"],
    ])
  func path(_ words: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file(String(repeating: "x", count: 120))
    let process = try ChildProcess(
      ChildProcess.built("statectl"), words, environment: ["STATEHUB_SOCKET": path], directory: directory)
    #expect(try process.wait() == .status(2))
    #expect(process.standardError.contains(path))
  }
}
