// The facts that several pages state: rights, exit statuses and the requests of `pipe`, compared with the code.

import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("The facts on the pages")
struct PageFactsTests {
  private func page(_ name: String) -> String { readFile("\(checkout)/\(name)") }

  private func section(_ heading: String, of name: String) throws -> String {
    let text = page(name)
    let start = try #require(text.firstRange(of: "\n\(heading)\n"), "\(name) has no \(heading)")
    let rest = text[start.upperBound...]
    return String(rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)])
  }

  @Test("name every right, with its bit")
  func rights() {
    let requests = page("docs/protocol-requests.md")
    for (word, right) in AccessRights.words {
      let bit = "0x\(right.rawValue < 16 ? "0" : "")\(String(right.rawValue, radix: 16)) `\(word)`"
      #expect(requests.contains(bit), "docs/protocol-requests.md does not name \(bit)")
      #expect(
        page("docs/security.md").contains("\(word):"), "docs/security.md shows no rule with \(word)")
    }
  }

  @Test("list every exit status")
  func statuses() {
    let source = page("Sources/statectl/Failure.swift")
    let manual = page("docs/statectl.md")
    let statuses = source.matches(of: /static let \w+: Int32 = (\d+)/).compactMap { Int($0.1) }
    #expect(statuses.count > 10)
    // 126 and 127 are the shell's own, of commands that cannot be started.
    for status in statuses where status != 0 && status < 126 {
      #expect(manual.contains("\n| \(status) |"), "docs/statectl.md does not list \(status)")
    }
  }

  @Test("list every request of pipe, on its page and in its help")
  func pipeRequests() throws {
    let help = VerbSpec.pipe.details
    let table = try section("## Requests", of: "docs/pipe.md")
    for name in PipeOperation.allCases.map(\.rawValue) {
      #expect(table.contains("`\(name)`"), "docs/pipe.md does not list \(name)")
      #expect(help.contains(name), "the help of pipe does not list \(name)")
    }
  }
}
