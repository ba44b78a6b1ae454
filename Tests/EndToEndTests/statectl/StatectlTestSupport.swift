// What the tests of statectl share: the real program against a real hub, and waiting for its lines.

import Glibc
import HubCore
import TestSupport
import Testing

/// statectl, pointed at one hub.
struct Control {
  let directory: TemporaryDirectory
  let socket: String
  /// What its programs get besides.
  var variables: [String: String?] = [:]

  struct Result: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs to its end. A test that does not look at the result calls `perform`.
  func run(_ arguments: String..., input: String? = nil) throws -> Result {
    try run(arguments, input: input)
  }

  /// Runs to its end, which is a success.
  ///
  /// - Throws: `TestFailure`, with its errors, if it is not.
  func perform(_ arguments: String..., input: String? = nil) throws {
    let result = try run(arguments, input: input)
    guard result.status == 0 else {
      throw TestFailure("statectl \(arguments) ended with \(result.status): \(result.errors)")
    }
  }

  /// The hub has long to answer: on a busy machine the default of 5 s would test the machine. A time-out of the test's own
  /// comes later and counts.
  func run(_ arguments: [String], input: String? = nil) throws -> Result {
    let process = try start((arguments.isEmpty ? [] : ["--timeout", "2m"]) + arguments, input: input)
    return Result(
      status: try process.status(), output: process.standardOutput, errors: process.standardError)
  }

  func start(_ arguments: String..., input: String? = nil) throws -> ChildProcess {
    try start(arguments, input: input)
  }

  func start(_ arguments: [String], input: String? = nil) throws -> ChildProcess {
    let file = try input.map { try directory.write($0, to: "input-\(UInt64.random(in: 0 ... .max))") }
    return try ChildProcess(
      ChildProcess.built("statectl"), arguments, environment: environment, input: file ?? "/dev/null",
      directory: directory)
  }

  /// Runs a line of shell, in which `statectl` is the program.
  func shell(_ script: String) throws -> Result {
    let process = try startShell(script)
    return Result(
      status: try process.status(), output: process.standardOutput, errors: process.standardError)
  }

  /// A script whose commands end with it.
  func startShell(_ script: String, in shell: String = "sh") throws -> ChildProcess {
    try ChildProcess(
      "/bin/\(shell)", ["-c", script], environment: environment, group: true, directory: directory)
  }

  /// Whether there is such an interpreter. Continuous integration has all of them: a missing one is a failure there.
  func has(interpreter: String, for file: String) throws -> Bool {
    if try shell("command -v \(interpreter)").status == 0 || getenv("STATEHUB_TEST_INTERPRETERS") != nil {
      return true
    }
    print("NOT TRIED: there is no \(interpreter) for \(file)")
    return false
  }

  /// The programs that were built come before those that are installed.
  private var environment: [String: String?] {
    let programs = ChildProcess.built("statectl").dropLast("/statectl".count)
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let own: [String: String?] = [
      "STATEHUB_SOCKET": socket, "PATH": "\(programs):\(path)", "LC_ALL": "C.UTF-8",
    ]
    return own.merging(variables) { $1 }
  }
}

/// The verbs that start a command, as lines of shell that end with the command's status.
enum Starting: String, CaseIterable {
  case hold, lock, elect, watch

  func line(_ command: String) -> String {
    switch self {
    case .hold: "statectl hold held 1 -- \(command)"
    case .lock: "statectl lock locked -- \(command)"
    case .elect: "statectl elect elected -- \(command)"
    case .watch: "statectl watch a -1 --exec-fail stop --exec \(command)"
    }
  }
}

/// A hub of a test's own, and statectl for it.
final class Bench {
  let directory: TemporaryDirectory
  private(set) var hub: HubProcess
  let control: Control

  private let arguments: [String]

  /// - Parameter configuration: the hub's, in JSON5.
  init(configuration: String? = nil) throws {
    directory = try TemporaryDirectory()
    var arguments = ["--volatile"]
    if let configuration {
      arguments += ["--config", try directory.write(configuration, to: "hub.json5")]
    }
    self.arguments = arguments
    hub = try HubProcess(in: directory, arguments: arguments)
    control = Control(directory: directory, socket: hub.socket)
  }

  /// Waits until the hub has written everything that a watching process is owed, and the process has read it and is
  /// waiting for more.
  func waitUntilRead(by process: ChildProcess) throws {
    for _ in 0..<longestLooks {
      let state = readFile("/proc/\(process.pid)/stat").split(separator: ")").last?.dropFirst().first
      if state == "S", try unsent() == 0 { return }
      _ = process.poll(milliseconds: 2)
    }
    throw TestFailure("process \(process.pid) does not come to rest")
  }

  private func unsent() throws -> UInt32 {
    guard case .clients(let clients, _) = try hub.connect().call(.clients()) else { return 1 }
    return clients.map(\.unsent).max() ?? 0
  }

  /// Lets the hub hand over to its own program, as in an upgrade.
  func upgrade() throws {
    // It has the signal when it gets the request, which joins the upgrade.
    hub.process.signal(SIGUSR2)
    guard try control.run("reload").status == 0 else { throw TestFailure("not upgraded") }
  }

  /// Kills the hub and starts another one in its place: a new epoch, and no stores.
  func replaceHub() throws {
    hub.kill()
    hub = try HubProcess(in: directory, arguments: arguments)
  }
}

/// A suite whose tests each have a hub of their own.
class BenchSuite {
  let bench: Bench
  var control: Control { bench.control }

  init() throws { bench = try Bench() }

  func expect(
    _ result: Control.Result, _ output: String, status: Int32 = 0, errors: String = "",
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(result.output == output, sourceLocation: location)
    #expect(result.errors == errors, sourceLocation: location)
    #expect(result.status == status, sourceLocation: location)
  }
}

extension ChildProcess {
  func status() throws -> Int32 {
    switch try wait() {
    case .status(let status): status
    case .signal(let signal): 128 + signal
    }
  }

  /// What it has printed, once that is at least `count` lines.
  ///
  /// - Throws: `TestFailure` if it ends, or does not in time, before.
  func lines(_ count: Int) throws -> [String] {
    for _ in 0..<longestLooks {
      // The look at the process comes before the look at its output, so that its last words are seen.
      let exit = poll(milliseconds: 2)
      let lines = standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if lines.count >= count { return lines.map(String.init) }
      if let exit {
        throw TestFailure("ended with \(exit) after \(lines.count) of \(count) lines: \(standardError)")
      }
    }
    throw TestFailure("no \(count) lines came, only: \(standardOutput)")
  }
}

extension ChildProcess {
  /// Waits while the process runs. Unlike `eventually` it keeps its thread: in a blocking suite others would have their turn
  /// before the next look.
  ///
  /// - Throws: `TestFailure` if the process ends, or it is not so in time, before.
  func wait(until what: String, _ isSo: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(longestWait)
    while try !isSo() {
      if let exit = poll(milliseconds: 2) {
        if try isSo() { return }
        throw TestFailure("ended with \(exit), not: \(what): \(standardError)")
      }
      guard ContinuousClock.now < end else { throw TestFailure("not in time: \(what)") }
    }
  }
}

extension RawClient {
  /// Adds 1 to a store so many times, as fast as the hub takes it.
  func storm(_ store: String, _ count: Int) throws {
    let name = try StoreName(store)
    var left = count
    while left > 0 {
      let batch = min(left, 500)
      for _ in 0..<batch { try send(.write(.add(.name(name), .integer(1)))) }
      for _ in 0..<batch { _ = try next() }
      left -= batch
    }
  }
}

extension HubProcess {
  /// Waits until at least so many patterns are watched.
  func waitForWatches(_ count: UInt64) throws { try wait(for: count, "watches") }

  /// Waits until a counter is at least so high.
  func wait(for count: UInt64, _ counter: String) throws {
    let client = try connect()
    for _ in 0..<longestLooks {
      guard case .statistics(let statistics) = try client.call(.stats) else { break }
      if statistics.first(where: { $0.name == counter })?.value ?? 0 >= count { return }
      _ = process.poll(milliseconds: 2)
    }
    throw TestFailure("there are no \(count) \(counter)")
  }
}
