// The tutorials: the code of every step compiles, and what they end with does what they say.

import FoundationEssentials
import HubClient
import TestSupport
import Testing

/// A file as a step shows it.
struct TutorialCode: Sendable {
  /// The reader's file.
  let name: String
  /// The one in the catalogue.
  let path: String
  var text: String { readFile(path) }
}

struct Tutorial: Sendable, CustomTestStringConvertible {
  let path: String
  var text: String { readFile(path) }
  var testDescription: String { String(path.split(separator: "/").last ?? "") }

  var steps: [TutorialCode] {
    let folder = path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" } + "/Code"
    return text.matches(of: /@Code\(name: "([^"]+)", file: "([^"]+)"\)/).map {
      TutorialCode(name: String($0.1), path: "\(folder)/\($0.2)")
    }
  }
}

enum Tutorials {
  fileprivate static let folders = ["HubClient", "HubReducers"].map {
    "\(checkout)/Sources/\($0)/\($0).docc/Tutorials"
  }

  static let all: [Tutorial] = folders.flatMap { folder in
    files(in: folder).filter { $0.hasSuffix(".tutorial") && !$0.hasSuffix("Tutorials.tutorial") }
      .map { Tutorial(path: "\(folder)/\($0)") }
  }

  fileprivate static func files(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}

@Suite("The tutorials", .blocking)
struct TutorialTests {
  @Test("show code that compiles, step by step", arguments: Tutorials.all)
  func compiles(tutorial: Tutorial) async throws {
    #expect(tutorial.steps.count >= 6)
    var modules: [String: String] = [:]
    for step in tutorial.steps where step.name != "Package.swift" {
      // What an earlier step has made of a module of the reader's stands in place of its import.
      let source = step.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { modules[String($0)] ?? String($0) }.joined(separator: "\n")
      let errors = try await Compiler.errors(in: source, flow: step.name != "main.swift")
      #expect(errors.map(\.message) == [], "\(step.path)")
      modules["import \(step.name.dropLast(".swift".count))"] = step.text
    }
  }

  @Test("show manifests that SwiftPM reads", arguments: Tutorials.all)
  func manifests(tutorial: Tutorial) async throws {
    let manifest = try #require(tutorial.steps.first { $0.name == "Package.swift" })
    let directory = try TemporaryDirectory()
    try directory.write(manifest.text, to: "Package.swift")
    let manager = try ChildProcess(
      "/usr/bin/env", ["swift", "package", "--package-path", directory.path, "dump-package"],
      directory: directory)
    #expect(try await manager.ended() == .status(0), "\(manager.standardError)")
  }

  @Test("end with the files that the fixture builds, and show all others on the way")
  func files() throws {
    #expect(Tutorials.all.count == 2)
    let fixture = try FileManager.default.subpathsOfDirectory(atPath: FixturePackage.path)
      .compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(FixturePackage.path)/\($0)")
      }
      .compactMap { $0.split(separator: "/").last.map(String.init) }
    let shown = Tutorials.all.map { $0.steps.filter { $0.name != "Package.swift" } }
    let last = shown.flatMap { steps in
      Dictionary(steps.map { ($0.name, $0.path) }) { $1 }.values.compactMap { $0.split(separator: "/").last }
    }
    #expect(fixture.sorted() == last.map(String.init).sorted())
    let paths = Set(Tutorials.all.flatMap { $0.steps.map(\.path) })
    #expect(
      paths
        == Set(
          Tutorials.folders.flatMap { folder in
            Tutorials.files(in: "\(folder)/Code").map { "\(folder)/Code/\($0)" }
          }))
  }

  private func start(
    _ program: String, _ arguments: [String] = [], _ hub: HubProcess, _ directory: TemporaryDirectory
  ) async throws -> ChildProcess {
    try ChildProcess(
      "/usr/bin/env", ["stdbuf", "-oL", try await FixturePackage.built(program)] + arguments,
      environment: ["STATEHUB_SOCKET": hub.socket], directory: directory)
  }

  @Test("end with a program that sets a value, follows it, keeps its rules, and tells when the hub is away")
  func volume() async throws {
    let directory = try TemporaryDirectory()
    var hub = try HubProcess(in: directory)
    let follower = try await start("VolumeTutorial", [], hub, directory)
    try await follower.shows { $0 == "volume: 4\n" }
    let louder = try await start("VolumeTutorial", ["6"], hub, directory)
    #expect(try await louder.ended() == .status(0))
    #expect(louder.standardOutput == "volume: 10\n")
    try await follower.shows { $0 == "volume: 4\nvolume: 10\n" }
    let tooLoud = try await start("VolumeTutorial", ["1"], hub, directory)
    #expect(try await tooLoud.ended() == .status(0))
    let refusal = tooLoud.standardOutput.split(separator: "\n").joined()
    let page = try #require(Tutorials.all.first { $0.text.contains("volume-6.swift") }).text
    #expect(refusal.contains("above the maximum") && page.contains("`\(refusal)`"), "\(refusal)")
    hub.kill()
    try await follower.shows { $0.contains("no hub: ") }
    hub = try HubProcess(in: directory)
    try await hub.hub().value("volume", of: Int.self).set(7)
    try await follower.shows { $0.hasSuffix("volume: 7\n") }
  }

  @Test("end with a feature that follows a value and sets another")
  func fan() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let program = try await start("FanProgram", [], hub, directory)
    let client = hub.hub()
    try await client.value("room.temperature", of: Double.self).set(30.5)
    try await program.shows { $0.hasSuffix("30.5 degrees: the fan is on\n") }
    for try await isOn in client.value("room.fan", of: Bool.self).values where isOn { break }
    try await client.value("room.temperature", of: Double.self).set(19)
    try await program.shows { $0.hasSuffix("19.0 degrees: the fan is off\n") }
  }

  @Test("end with tests that pass")
  func tests() async throws {
    let directory = try TemporaryDirectory()
    let tests = try ChildProcess(
      try await FixturePackage.built(FixturePackage.tests),
      ["--testing-library", "swift-testing", "--filter", "FanTests"], directory: directory)
    #expect(try await tests.ended() == .status(0))
    #expect((tests.standardOutput + tests.standardError).contains("2 tests in 1 suite passed"))
  }
}
