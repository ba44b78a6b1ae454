// The transcripts of docs/statectl.md, run for real.

import FoundationEssentials
import TestSupport
import Testing

@Suite("The manual of statectl")
struct StatectlDocumentationTests {
  private struct Step {
    var command: String
    var output = ""
  }

  /// The commands of the page's console blocks, with the output that the page shows.
  private func steps() throws -> [Step] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/statectl.md"), encoding: .utf8)
    var steps: [Step] = []
    var isInside = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2))))
      } else if isInside {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  /// What differs from run to run.
  private func masked(_ text: String) -> String {
    text
      .replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}([ T])[0-9:]{8}(\.[0-9]{9})?/, with: "TIME")
      .replacing(/pid [0-9]+/, with: "pid N").replacing(/[0-9]+ µs/, with: "N µs")
      .replacing(/by .*[0-9]\)?/, with: "by USER").replacing(/"uid":[0-9]+/, with: "UID")
      .replacing(/"epoch":"[0-9a-f]{32}"/, with: "EPOCH")
  }

  @Test("shows what really happens, command by command")
  func transcripts() throws {
    let bench = try Bench()
    let steps = try steps()
    #expect(steps.count > 40)
    for step in steps {
      let result = try bench.control.shell("exec 2>&1; cd '\(bench.directory.path)'\n" + step.command)
      #expect(masked(result.output) == masked(step.output), "\(step.command)")
    }
    withExtendedLifetime(bench) {}
  }
}
