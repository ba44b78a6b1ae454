// The demonstration as its users see it: what it shows, how it ends, what it leaves behind.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("The demonstration", .blocking)
struct DemoTests {
  private func contents(of directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
  }

  @Test("shows every change in every process, ends well, and leaves nothing behind")
  func demonstrates() async throws {
    let (directory, own) = (try TemporaryDirectory(), try TemporaryDirectory())
    let demo = try ChildProcess(
      ChildProcess.built("demo"), environment: ["TMPDIR": own.path], directory: directory)
    #expect(try await demo.ended() == .status(0))
    #expect(demo.standardError == "")

    let lines = demo.standardOutput.split(separator: "\n")
    func count(_ text: String, inLineWith step: String) -> Int {
      lines.first { $0.contains(step) }?.ranges(of: text).count ?? 0
    }
    #expect(count("initial 20, synced", inLineWith: "three subscribe") == 3)
    #expect(count("changed 21", inLineWith: "sets 21") == 3)
    #expect(count("reset, synced", inLineWith: "knows no values") == 3)
    #expect(count("changed 201", inLineWith: "sets 201") == 3)

    let processes = demo.standardOutput.matches(of: /process (\d+)/).compactMap { Int32($0.1) }
    #expect(Set(processes).count == 6)  // two hubs, the writer, three subscribers
    for process in processes { #expect(kill(process, 0) == -1, "process \(process) lives on") }
    #expect(try contents(of: own) == [])
  }

  @Test("fails, and leaves nothing behind, if a process sees something else than it should")
  func noticesWhatDidNotHappen() async throws {
    let (directory, own) = (try TemporaryDirectory(), try TemporaryDirectory())
    // Stands in for the hub: it runs the real one, but the second time with a value (in the
    // configuration, its fifth argument) where there should be none.
    try directory.write(
      """
      #!/bin/sh
      mkdir "$0.once" 2> /dev/null || echo '{ stores: { number: { type: "integer", initial: 7 } } }' > "$5"
      exec \(ChildProcess.built("statehub")) "$@"

      """, to: "statehub.sh")
    // A file that this process itself has written can be busy: another test may be starting a process right now.
    let copy = "cd \(directory.path); cp \(ChildProcess.built("demo")) demo; install statehub.sh statehub"
    let copying = try ChildProcess("/bin/sh", ["-c", copy], directory: directory)
    try #require(try await copying.ended() == .status(0))

    let demo = try ChildProcess(
      directory.file("demo"), environment: ["TMPDIR": own.path], directory: directory)
    #expect(try await demo.ended() == .status(1))
    #expect(demo.standardOutput.contains("changed 23"))
    #expect(demo.standardError.contains("should have seen `synced` and saw `initial 7`"))
    #expect(try contents(of: own) == [])
  }
}
