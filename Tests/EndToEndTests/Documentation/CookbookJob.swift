// One job of docs/cookbook.md in the hands of a test: a hub with the configuration that the job shows, its blocks, and which
// of them nobody has tried yet.

import TestSupport
import Testing

final class CookbookJob {
  static let page = "docs/cookbook.md"

  private static let sections = PageSection.all(of: page).filter { $0.level == 2 }

  /// The titles of all jobs, in the page's order.
  static let titles = sections.map(\.heading)

  /// What a job shows. Users whom only some systems have are those whom every system has.
  static func blocks(of title: String) -> [PageBlock] {
    (sections.first { $0.heading == title }?.blocks ?? []).map { block in
      PageBlock(
        page: block.page, line: block.line, language: block.language,
        lines: block.lines.map {
          $0.replacing("www-data", with: "daemon").replacing("user:backup", with: "user:bin")
        })
    }
  }

  let bench: Bench
  var control: Control { bench.control }
  private(set) var untried: [PageBlock]
  private var started: [ChildProcess] = []

  init(_ title: String) throws {
    let blocks = Self.blocks(of: title)
    bench = try Bench(configuration: blocks.first { $0.language == "json5" }?.text)
    untried = blocks.filter { $0.language != "json5" }
  }

  // MARK: Blocks

  /// Runs all of the job's transcripts in their order.
  func runTranscripts() throws {
    let transcripts = untried.filter { $0.language == "console" }
    untried.removeAll { $0.language == "console" }
    try Transcript.run(transcripts.flatMap(\.steps), on: bench)
  }

  /// The one block of that language in which this stands; the test that takes it runs it.
  func take(_ language: String, with part: String = "") throws -> String {
    let found = untried.indices.filter { untried[$0].language == language && untried[$0].text.contains(part) }
    try #require(found.count == 1, "\(found.count) blocks of \(language) have \"\(part)\"")
    return untried.remove(at: found[0]).text
  }

  /// The command that the job shows with what it prints while other things happen.
  func takeShown() throws -> PageBlock.Step {
    let index = try #require(untried.firstIndex { $0.language == "text" }, "no command is shown")
    return try #require(untried.remove(at: index).steps.first)
  }

  // MARK: Running

  /// Starts a script in the bench's directory. It lasts as long as this object, at most.
  func start(_ script: String, in shell: String = "sh") throws -> ChildProcess {
    let process = try control.startShell(
      "cd '\(bench.directory.path)'\n\(script)\n", in: shell)
    started.append(process)
    return process
  }

  /// Waits until something is so, for twenty seconds at most.
  func wait(for what: String, until isSo: () throws -> Bool) throws {
    for _ in 0..<10_000 {
      if try isSo() { return }
      _ = bench.hub.process.poll(milliseconds: 2)
    }
    throw TestFailure("not within twenty seconds: \(what)")
  }

  /// Waits until this process, which waits itself, watches something; then it goes on waiting.
  func expectWaiting(_ process: ChildProcess, watches: UInt64 = 1) throws {
    try bench.hub.waitForWatches(watches)
    #expect(process.poll(milliseconds: 50) == nil, "\(process.standardError)")
    #expect(process.standardOutput.isEmpty)
  }
}
