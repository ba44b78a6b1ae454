// The messages of docs/troubleshooting.md: provoked for real, or at least found where they are printed.

import FoundationEssentials
import TestSupport
import Testing

@Suite("The page on troubleshooting", .blocking)
struct TroubleshootingTests {
  private static let page = "docs/troubleshooting.md"
  private static let sections = PageSection.all(of: page)
  private static let played = sections.filter { !$0.steps.isEmpty }.map(\.heading)

  private func section(_ words: String) throws -> PageSection {
    try #require(Self.sections.first { $0.heading.contains(words) }, "no section on \(words)")
  }

  /// What differs from run to run, besides what does on all pages.
  private func stable(_ text: String) -> String {
    Transcript.masked(text)
      .replacing(/process [0-9]+/, with: "process N").replacing(/journal-[0-9]{16}/, with: "journal-N")
      // How long the head of a file is depends on what the file system tells of it.
      .replacing(/offset [0-9]+/, with: "offset N").replacing(/1:[0-9]+\b/, with: "1:N")
      .replacing(/in [0-9.]+ s\b/, with: "in N s")
  }

  @Test("shows what really happens, trouble by trouble", arguments: played)
  func transcripts(heading: String) throws {
    // The thread sanitizer ends a process that may not write long files.
    let stage = TroubleshootingStage.of(heading)
    if isThreadSanitized, stage.longestFile != nil { return }
    let scene = try TroubleshootingScene(stage)
    let played = try section(heading)
    for step in played.steps {
      let output = try scene.shell(step.command)
      #expect(stable(output) == stable(scene.here(step.output)), "\(Self.page):\(step.line)")
    }
    for line in played.blocks.filter({ $0.language == "text" }).flatMap(\.lines) {
      #expect(
        Sources.prints(line) || scene.log.contains(scene.here(line.replacing("…", with: ""))), "\(line)")
    }
  }

  @Test("sets no stage that no section needs")
  func stages() {
    for words in TroubleshootingStage.all.keys {
      #expect(Self.played.filter { $0.contains(words) }.count == 1, "\(words)")
    }
  }

  /// Those whose message is provoked below, or comes from systemd.
  private static let others = ["is away", "`skipped`", "`start-limit-hit`", "`Watchdog timeout`"]

  @Test("quotes only messages that the programs print")
  func quotes() {
    for section in Self.sections where section.steps.isEmpty {
      if Self.others.contains(where: { section.heading.contains($0) }) { continue }
      for block in section.blocks where block.language == "text" {
        for line in block.lines { #expect(Sources.prints(line), "\(Self.page):\(block.line): \(line)") }
      }
    }
  }

  @Test("has the words of each heading in a message below it")
  func headings() {
    for section in Self.sections {
      for code in section.heading.matches(of: /`([^`]+)`/) {
        for piece in code.1.split(separator: /[A-Z]{2,}/) where piece.count > 4 {
          #expect(section.shown.contains(piece), "\(section.heading)")
        }
      }
    }
  }

  @Test("says what a watch prints when it loses the hub for long, and when another one comes")
  func outage() throws {
    let stage = TroubleshootingStage()
    let scene = try TroubleshootingScene(stage)
    let watch = try scene.start("statectl watch --json --markers audio.volume")
    let shown = try #require(try section("`skipped`").blocks.first).lines
    #expect(try watch.lines(2).map(Transcript.masked) == shown.prefix(2).map(Transcript.masked))
    let told = try #require(try section("is away").blocks.first).lines
      .map { "statectl: " + scene.here($0.replacing("…", with: "/run/statehub/hub.sock")) }
    try scene.replaceHub(stage) {
      let last = try watch.lines(3).last
      #expect(last == told[0])
    }
    let all = try watch.lines(6).dropFirst(3).map(Transcript.masked)
    #expect(all.sorted() == (shown.suffix(2) + [told[1]]).map(Transcript.masked).sorted())
  }

  @Test("tells what the units say of restarts and of the watchdog")
  func units() throws {
    let unit = readFile("\(checkout)/systemd/system/statehub.service")
    let watchdog = try #require(unit.firstMatch(of: /WatchdogSec=(.*)/)).1
    #expect(try section("Watchdog").shown.contains("Watchdog timeout (limit \(watchdog))!"))
    #expect(unit.contains("StartLimitIntervalSec=10s\nStartLimitBurst=50\n"))
  }
}

/// The texts in the sources of the programs.
private enum Sources {
  /// Texts that go on in the next line are joined, and what is filled in is `…`.
  private static let text: String = {
    let programs = ["HubCore", "HubEngine", "HubServer", "HubSystem", "HubTransport", "statectl", "statehub"]
    let files = programs.flatMap { program in
      let folder = "\(checkout)/Sources/\(program)"
      let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
      return paths.filter { $0.hasSuffix(".swift") }.map { readFile("\(folder)/\($0)") }
    }
    return files.joined()
      .replacing(/"\s*\+ "/, with: "")
      .replacing(/\\\(([^()]|\(([^()]|\([^()]*\))*\))*\)/, with: "…")
  }()

  /// Whether a program prints such a line.
  static func prints(_ line: String) -> Bool {
    text.contains(line.hasSuffix("…") ? String(line.dropLast()) : line)
  }
}
