// The transcripts of docs/statectl.md, run for real.

import TestSupport
import Testing

@Suite("The manual of statectl", .blocking)
struct StatectlDocumentationTests {
  private var blocks: [PageBlock] { PageBlock.all(of: "docs/statectl.md") }

  @Test("shows what really happens, command by command")
  func transcripts() throws {
    let bench = try Bench()
    let steps = blocks.filter { $0.language == "console" }.flatMap(\.steps)
    #expect(steps.count > 40)
    try Transcript.run(steps, on: bench)
  }

  /// The block that shows this command and what it prints, without being part of the one long transcript.
  private func shown(_ command: String) throws -> PageBlock.Step {
    let steps = blocks.filter { $0.language == "text" }.flatMap(\.steps)
    return try #require(steps.first { $0.command.hasPrefix(command) }, "no \(command)")
  }

  @Test("shows what a watch prints while somebody else writes")
  func watch() throws {
    let bench = try Bench()
    let step = try shown("statectl watch")
    let values = step.output.split(separator: "\n").map(String.init)
    #expect(values.count > 2)
    try bench.control.perform("set", "audio.volume", values[0])
    let watch = try bench.control.startShell(step.command)
    for count in values.indices {
      if count > 0 { try bench.control.perform("set", "audio.volume", values[count]) }
      #expect(try watch.lines(count + 1) == Array(values[...count]))
    }
  }

  @Test("shows the table that clients prints")
  func clients() throws {
    let bench = try Bench()
    let step = try shown("statectl clients")
    let watch = try bench.control.start("watch", "audio.volume")
    try bench.hub.waitForWatches(1)
    let printed = try bench.control.shell(step.command).output
    func columns(_ table: String) -> [[Substring]] {
      table.split(separator: "\n").map { line in
        // Who it is differs from run to run, and the unit from machine to machine.
        line.replacing(/[ ][^ ]+ \([0-9]+\)/, with: " USER").replacing(/uid [0-9]+/, with: "USER")
          .replacing(/(user-unit|unit|app):[^ ]+/, with: "-")
          .replacing(/20[0-9-]+ [0-9:]+ UTC/, with: "TIME").replacing(/[0-9.]+%/, with: "PART").split(
            separator: " "
          ).enumerated().map {
            $0.offset < 2 && $0.element.allSatisfy(\.isNumber) ? "N" : $0.element
          }
      }.sorted { $0.joined() < $1.joined() }
    }
    #expect(columns(printed) == columns(step.output))
    withExtendedLifetime(watch) {}
  }
}
