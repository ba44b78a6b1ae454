// What `statehub inspect` and `repair` tell people who wait: on a terminal how far they are, elsewhere nothing.

import CLinux
import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statehub inspect: progress", .blocking)
struct StateProgressTests {
  /// A directory with more in it than a pipe takes.
  private func state(_ directory: TemporaryDirectory) throws -> String {
    let hub = try HubProcess(in: directory, arguments: ["--state-dir", directory.file("state")])
    let client = try hub.connect()
    for round in 0..<2 {
      let operations = try (0..<800).map {
        WriteOperation.set(.name(try StoreName("a.store.with.a.name.\($0)")), .integer(Int64(round)))
      }
      guard case .committed = try client.call(.transaction(operations)) else { throw TestFailure("refused") }
    }
    try hub.terminate()
    return directory.file("state")
  }

  /// Runs an inspection whose output nobody takes for more than a second.
  ///
  /// - Returns: what it wrote to standard output.
  private func inspect(_ directory: TemporaryDirectory, _ state: String, errors: String) throws -> Int {
    let pipe = directory.file("pipe")
    unlink(pipe)
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let process = try ChildProcess(
      "/bin/sh",
      [
        "-c", "exec \"$0\" inspect \"$1\" >\"$2\" 2>\"$3\"", ChildProcess.built("statehub"), state, pipe,
        errors,
      ],
      directory: directory)
    var event = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    #expect(poll(&event, 1, longestPoll) == 1)
    // It waits for the pipe, as it would for a slow disk: that is what takes the time.
    #expect(process.poll(milliseconds: 1300) == nil)
    var total = 0
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      event.revents = 0
      guard poll(&event, 1, longestPoll) == 1 else { throw TestFailure("inspect is stuck") }
      let count = read(reader, &chunk, chunk.count)
      if count <= 0 { break }
      total += count
    }
    #expect(try process.wait() == .status(0))
    return total
  }

  @Test("on a terminal it shows its progress when it takes more than a second, and erases the line")
  func terminal() throws {
    let directory = try TemporaryDirectory()
    let state = try state(directory)
    let terminal = try PseudoTerminal()
    #expect(try inspect(directory, state, errors: terminal.path) > 65536)
    let file = open(terminal.path, O_WRONLY | O_NOCTTY)
    write(file, "end\n", 4)
    close(file)
    let line = try terminal.line()
    #expect(line.contains("statehub: printing the files, 100%"), "\(line)")
    #expect(line.hasSuffix(" end"), "the line is taken away: \(line)")
  }

  @Test("without a terminal on standard error, no progress is shown")
  func file() throws {
    let directory = try TemporaryDirectory()
    let state = try state(directory)
    let errors = try directory.write("", to: "errors")
    #expect(try inspect(directory, state, errors: errors) > 65536)
    #expect(readFile(errors).isEmpty)
  }
}
