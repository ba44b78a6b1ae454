// The real `statehub` as a child process on a socket of the test's own.

import Glibc

/// A running hub. It is killed with this object, unless it has ended before.
public final class HubProcess: Sendable {
  public let socket: String
  public let process: ChildProcess

  /// Starts the built `statehub` in the foreground and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - program: the path of a copy of the program; by default the one that was built.
  ///   - socket: the path, by default `hub.sock` in `directory`.
  ///   - arguments: after `--socket PATH`.
  ///   - manager: what starts it: it gets the manager's sockets and what the manager keeps, and can talk to it.
  ///   - waits: false: return at once, also if it will not start.
  public init(
    _ program: String? = nil, in directory: TemporaryDirectory, socket: String? = nil,
    arguments: [String] = ["--volatile"],
    environment: [String: String?] = [:], manager: FakeServiceManager? = nil, waits: Bool = true
  ) throws {
    self.socket = socket ?? directory.file("hub.sock")
    // No configuration but the test's own.
    var variables: [String: String?] = ["XDG_CONFIG_HOME": directory.path]
    // No state but the test's own.
    variables["XDG_STATE_HOME"] = directory.file("xdg-state")
    variables.updateValue(nil, forKey: "STATE_DIRECTORY")
    variables.updateValue(nil, forKey: "JOURNAL_STREAM")
    variables.merge(environment) { $1 }
    var words = ["--socket", self.socket]
    if geteuid() == 0, !arguments.contains("--config") {
      // For root the default is the system's file, which tests must not depend on.
      let empty = directory.file("empty.json5")
      if readFile(empty).isEmpty { try directory.write("{}\n", to: "empty.json5") }
      words += ["--config", empty]
    }
    let program = program ?? ChildProcess.built("statehub")
    if let manager {
      process = try manager.start(program, words + arguments, environment: variables, directory: directory)
    } else {
      process = try ChildProcess(program, words + arguments, environment: variables, directory: directory)
    }
    if waits { try waitUntilReady() }
  }

  public var pid: Int32 { process.pid }
  public var standardError: String { process.standardError }
  /// Waits until the hub has logged a text: it does not wait for its log.
  public func reports(_ text: String) -> Bool { process.reports(text) }

  /// Waits until the hub accepts a connection.
  public func waitUntilReady() throws {
    // A hub that has a state directory waits for its disk before it serves, and the disk may be busy with others.
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while ContinuousClock.now < deadline {
      if let socket = RawClient.connectedSocket(to: socket) {
        close(socket)
        return
      }
      // The wait for the process's end is the pause between two attempts.
      if let exit = process.poll(milliseconds: 1) {
        throw TestFailure("the hub did not start: \(exit); its errors: \(standardError)")
      }
    }
    throw TestFailure("the hub accepts no connection at \(socket); its errors: \(standardError)")
  }

  /// A connection that has said hello.
  public func connect(name: String = "test") throws -> RawClient {
    let client = try RawClient(to: socket)
    try client.hello(name: name)
    return client
  }

  /// SIGTERM, and waits for the end.
  @discardableResult
  public func terminate() throws -> ChildProcess.Exit {
    process.signal(SIGTERM)
    return try process.wait()
  }

  /// SIGKILL, and waits for the end.
  public func kill() { process.kill() }
}
