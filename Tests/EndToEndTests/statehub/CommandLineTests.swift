// The daemon's command line, as a shell sees it: output, errors, exit status.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("The daemon's command line", .blocking)
struct CommandLineTests {
  private func run(
    _ arguments: [String], environment: [String: String?] = [:]
  ) throws -> (status: ChildProcess.Exit, output: String, errors: String) {
    let directory = try TemporaryDirectory()
    let process = try ChildProcess(
      ChildProcess.built("statehub"), arguments, environment: environment, directory: directory)
    return (try process.wait(), process.standardOutput, process.standardError)
  }

  @Test("--version and --help answer on standard output")
  func information() throws {
    let version = try run(["--version"])
    #expect(version.status == .status(0))
    #expect(version.output.hasPrefix("statehub "))
    let help = try run(["--require-declaration", "--help", "--nonsense"])
    #expect(help.status == .status(0))
    for option in [
      "--socket", "--config", "--check-config", "--require-declaration", "--volatile", "--state-dir",
      "--log-level",
    ] {
      #expect(help.output.contains(option))
    }
    #expect(help.errors.isEmpty)
  }

  @Test("of thousands of errors in a configuration the first ones are printed, and the others counted")
  func manyErrors() throws {
    let directory = try TemporaryDirectory()
    let stores = (0..<3000).map { "s\($0): {type: 'integer', min: 0}" }.joined(separator: ", ")
    let file = try directory.write("{stores: {\(stores)}}", to: "many")
    for words in [
      ["--config", file, "--socket", directory.file("s"), "--volatile"],
      ["--config", file, "--check-config"],
    ] {
      let result = try run(words)
      #expect(result.status == .status(1))
      #expect(result.errors.contains("stores.s0.min: unknown key") && result.errors.contains("and 2900 more"))
    }
  }

  @Test(
    "help and the name of a command is that command's --help",
    arguments: ["inspect", "repair", "new-epoch", "access"])
  func helpAbout(command: String) throws {
    let help = try run(["help", command])
    #expect(help.status == .status(0))
    #expect(help.output.hasPrefix("usage: statehub \(command) "))
    #expect(try run([command, "--help"]).output == help.output)
    #expect(try run(["help"]).output == run(["--help"]).output)
  }

  @Test(
    "an output that cannot be written is an error",
    arguments: [
      ["--help"], ["--version"], ["help"], ["inspect", "--help"], ["repair", "--help"],
      ["new-epoch", "--help"],
      ["access", "--help"], ["access", "a.b"], ["inspect", "state"], ["inspect", "--json", "state"],
      ["inspect", "--summary", "state"], ["repair", "state"], ["new-epoch", "state"],
    ])
  func fullDisk(words: [String]) throws {
    let directory = try TemporaryDirectory()
    let state = directory.file("state")
    let hub = try HubProcess(in: directory, arguments: ["--state-dir", state])
    try hub.connect().write(.set("a", .integer(1)))
    try hub.terminate()
    let targets = [("/dev/full", "No space left"), ("&-", "Bad file descriptor"), ("/dev/null", nil)]
    for (target, problem) in targets {
      let process = try ChildProcess(
        "/bin/sh",
        ["-c", "exec \"$@\" >\(target)", "sh", ChildProcess.built("statehub")]
          + words.map { $0 == "state" ? state : $0 }, directory: directory)
      #expect(try process.wait() == .status(problem == nil ? 0 : 1), "\(process.standardError)")
      #expect(process.reports("cannot write to standard output: \(problem ?? "")") == (problem != nil))
    }
  }

  @Test("a directory after two hyphens may begin with one", arguments: ["inspect", "repair", "new-epoch"])
  func hyphen(command: String) throws {
    let marked = try run([command, "--", "-state"])
    #expect(marked.errors.contains("-state") || marked.output.contains("-state"), "\(marked)")
    #expect(marked.status != .status(2))
    #expect(try run([command, "-state"]).status == .status(2))
  }

  @Test("inspect says that no hub starts where a hub refuses the directory")
  func inspectMode() throws {
    let directory = try TemporaryDirectory()
    let state = directory.file("state")
    mkdir(state, 0o755)
    chmod(state, 0o755)
    for words in [["inspect", state], ["inspect", "--json", state], ["inspect", "--summary", state]] {
      let result = try run(words)
      #expect(result.status == .status(1))
      #expect(result.output.contains("its mode is 755"), "\(result.output)")
    }
    chmod(state, 0o700)
    #expect(try run(["inspect", state]).status == .status(0))
  }

  @Test(
    "what is wrong with a command line is said with status 2",
    arguments: [
      (["--sokcet", "x"], "unknown option: --sokcet (did you mean --socket?)"),
      (["--state-dri", "x"], "unknown option: --state-dri (did you mean --state-dir?)"),
      (["--state-dir"], "--state-dir needs a directory"),
      (["--state-dir", "x", "--volatile"], "--volatile keeps nothing on disk"),
      (["--socket"], "--socket needs a path"),
      (["--socket="], "--socket needs a path"),
      (["--require-declaration=yes"], "--require-declaration takes no value"),
      (["--log-level", "loud"], "unknown log level: loud (allowed: error, warning, info, debug)"),
      (["start"], "unexpected argument: start"),
      (["help", "start"], "there is no help for start"),
    ])
  func usage(words: [String], message: String) throws {
    let result = try run(words)
    #expect(result.status == .status(2))
    #expect(result.errors.hasPrefix("statehub: \(message)"))
    #expect(result.errors.contains("--help"))
    #expect(result.output.isEmpty)
  }

  @Test("--check-config tells file, line, key and what is allowed, and starts nothing")
  func checkConfiguration() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("{\n  logLvel: 'info',\n}\n", to: "bad.json5")
    let bad = try run(["--check-config", "--config", file, "--socket", directory.file("hub.sock")])
    #expect(bad.status == .status(1))
    #expect(bad.errors.hasPrefix("\(file):2:3: logLvel: unknown key (did you mean logLevel?)"))
    let good = try directory.write("{ stores: { number: { type: 'integer' } } }", to: "good.json5")
    #expect(try run(["--check-config", "--config=\(good)"]).status == .status(0))
    let missing = try run(["--check-config", "--config", directory.file("none.json5")])
    #expect(missing.status == .status(1))
    #expect(missing.errors.contains("there is no such file"))
    #expect(RawClient.connectedSocket(to: directory.file("hub.sock")) == nil)
  }

  @Test("a configuration that names a state directory is checked without touching that")
  func stateDirectory() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("state")
    let file = try directory.write("{ stateDirectory: '\(path)' }", to: "hub.json5")
    #expect(try run(["--config", file, "--check-config"]).status == .status(0))
    #expect(access(path, F_OK) != 0)
  }

  @Test("the configuration's settings and stores are in force, and the command line's come after them")
  func configuration() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      """
      {
        // Not where the command line says.
        socket: "/nowhere/hub.sock",
        requireDeclaration: true,
        maxClients: 3,
        maxFrameBytes: 70000,
        logLevel: "error",
        stores: { "audio.volume": { type: "integer", initial: 5, maximum: 10 } },
      }
      """, to: "hub.json5")
    let hub = try HubProcess(in: directory, arguments: ["--config", file, "--log-level", "warning"])
    let client = try hub.connect()
    _ = try client.call(.ping)
    #expect(client.welcome?.maximumFrameLength == 70000)
    guard case .value(let state) = try client.call(.get("audio.volume")),
      case .error(let outOfRange) = try client.call(.set("audio.volume", .integer(11))),
      case .error(let undeclared) = try client.call(.set("other", .integer(1))),
      case .error(let declared) = try client.call(.write(.remove(.name(try StoreName("audio.volume")))))
    else { throw TestFailure("the configuration is not in force") }
    #expect(state.value == .integer(5))
    #expect(outOfRange.code == .outOfRange)
    #expect(undeclared.code == .undeclared)
    #expect(declared.code == .declared)

    let others = [try hub.connect(), try hub.connect()]
    let late = try RawClient(to: hub.socket)
    try late.send(
      bytes: RawClient.bytes(.hello(name: "late"), id: 1) + RawClient.bytes(.get("audio.volume"), id: 2))
    guard case .reply(0, .error(let refusal)) = try late.next() else { throw TestFailure("not refused") }
    #expect(refusal.code == .quota)
    for other in others { _ = try other.call(.ping) }
    #expect(hub.reports("maxClients is 3"))
  }

  @Test("a healthy hub logs one line when it starts and one when it stops, below that nothing")
  func silence() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let client = try hub.connect()
    _ = try client.call(.ping)
    client.close()
    _ = try hub.connect().call(.ping)
    try hub.terminate()
    let lines = hub.standardError.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("serves \(hub.socket)") == true)
    #expect(lines.last?.contains("stopped") == true)

    let quiet = try HubProcess(in: directory, arguments: ["--log-level=warning"])
    try quiet.terminate()
    #expect(quiet.standardError.isEmpty)
  }

  @Test("lines carry a priority if and only if standard error is the journal")
  func journal() throws {
    let directory = try TemporaryDirectory()
    let script = """
      export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)
      exec "$0" --socket "$1" --volatile --config "$2"
      """
    let empty = try directory.write("{}", to: "empty.json5")
    let socket = directory.file("hub.sock")
    let shell = try ChildProcess(
      "/bin/sh", ["-c", script, ChildProcess.built("statehub"), socket, empty], directory: directory)
    while RawClient.connectedSocket(to: socket) == nil, shell.poll(milliseconds: 1) == nil {}
    shell.signal(15)
    try shell.wait()
    let lines = shell.standardError.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix("<6>") })
  }
}
