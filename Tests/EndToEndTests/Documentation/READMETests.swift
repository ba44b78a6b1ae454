// The README's first screen is true: its example is the one that is compiled, and its transcript is what the programs print.

import TestSupport
import Testing

@Suite("The README", .blocking)
struct READMETests {
  /// A page's first block of code in that language, without its fences.
  private func block(_ language: String, of page: String = "README.md") throws -> [String] {
    let text = readFile("\(checkout)/\(page)")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex(of: "```\(language)"), "no \(language) in \(page)")
    return Array(lines[(start + 1)...].prefix { $0 != "```" })
  }

  @Test("shows the example that the package of the fixtures compiles")
  func example() throws {
    let source = readFile("\(FixturePackage.path)/Sources/Example/main.swift")
    let code = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(try block("swift") == code.drop { $0.hasPrefix("//") || $0.isEmpty }.dropLast())
  }

  @Test(
    "and the first page on the library show what the programs really print",
    arguments: ["README.md", "Sources/HubClient/HubClient.docc/GettingStarted.md"])
  func transcript(page: String) async throws {
    let directory = try TemporaryDirectory()
    let socket = directory.file("hub.sock")
    let shell = try Shell(
      environment: [
        "STATEHUB_SOCKET": socket, "XDG_CONFIG_HOME": directory.path, "XDG_STATE_HOME": directory.path,
      ], directory: directory)
    // The README shows the socket of a login session; the test has its own.
    let shownSocket = "/run/user/1000/statehub/hub.sock"
    var expected = ""
    for line in try block("console", of: page) {
      guard line.hasPrefix("$ ") else {
        expected += line.replacing(shownSocket, with: socket) + "\n"
        continue
      }
      try await shell.shows(expected)
      try shell.type(String(line.dropFirst(2)))
      if line.hasPrefix("$ statehub") { try await HubProcess.accepts(at: socket) }
    }
    try await shell.shows(expected)
    #expect(shell.shown == expected)
  }
}
