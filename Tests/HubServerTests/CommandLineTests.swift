// The daemon's command line, as a shell sees it: output, errors, exit status.

import HubCore
import TestSupport
import Testing

@Suite("The daemon's command line")
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
    let help = try run(["--strict", "--help", "--nonsense"])
    #expect(help.status == .status(0))
    for option in ["--socket", "--config", "--check-config", "--strict", "--volatile", "--log-level"] {
      #expect(help.output.contains(option))
    }
    #expect(help.errors.isEmpty)
  }

  @Test(
    "what is wrong with a command line is said with status 2",
    arguments: [
      (["--sokcet", "x"], "unknown option: --sokcet (did you mean --socket?)"),
      (["--state-dir", "x"], "unknown option: --state-dir"),
      (["--socket"], "--socket needs a path"),
      (["--socket="], "--socket needs a path"),
      (["--strict=yes"], "--strict takes no value"),
      (["--log-level", "loud"], "unknown log level: loud (there are error, warning, info, debug)"),
      (["start"], "unexpected argument: start"),
    ])
  func usage(words: [String], message: String) throws {
    let result = try run(words)
    #expect(result.status == .status(2))
    #expect(result.errors.hasPrefix("statehub: \(message)"))
    #expect(result.errors.contains("--help"))
    #expect(result.output.isEmpty)
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
      exec "$0" --socket "$1" --config "$2"
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
