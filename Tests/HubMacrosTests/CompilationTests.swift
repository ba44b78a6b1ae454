// Owns the tests that let the compiler judge: expansions compile without a warning, run, and diagnostics
// land on the right line.

import Foundation
import TestSupport
import Testing

/// The fixtures are a module `HubReducers` of the smallest kind, with the real macro declarations, and a
/// program that uses it; they are compiled here because a test target cannot be expected not to compile.
@Suite("Expanded code", .blocking, .serialized)
struct CompilationTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")
  private static let declarations = fixtures.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/HubReducers/Macros/Macros.swift")

  private static let settings =
    [
      "-swift-version", "6", "-package-name", "fixtures", "-warnings-as-errors", "-load-plugin-executable",
      "\(PluginProcess.executable.path)#HubMacrosPlugin",
    ]
    + [
      "ExistentialAny", "InferIsolatedConformances", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }

  private func run(_ executable: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  private func compile(_ arguments: [String]) throws -> (status: Int32, output: String) {
    try run("/usr/bin/env", ["swiftc"] + arguments + Self.settings)
  }

  /// Compiles the module into `directory`, and returns the arguments that a program needs to use it.
  private func compileRuntime(_ directory: URL, _ mode: String) throws -> [String] {
    let object = directory.appending(path: "HubReducers.o").path
    let result = try compile(
      [
        mode, "-wmo", "-parse-as-library", "-module-name", "HubReducers", "-emit-module",
        "-emit-module-path", directory.appending(path: "HubReducers.swiftmodule").path, "-c",
        Self.fixtures.appending(path: "Runtime.swift").path, Self.declarations.path, "-o", object,
      ])
    try #require(result.status == 0, "\(result.output)")
    return ["-I", directory.path, object]
  }

  private func withDirectory(_ body: (URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "HubMacros-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory)
  }

  @Test("compiles without a warning and does what it says", arguments: ["-Onone", "-O"])
  func program(mode: String) throws {
    try withDirectory { directory in
      let runtime = try compileRuntime(directory, mode)
      let program = directory.appending(path: "program").path
      let sources = ["CasePaths", "HarderCasePaths", "Reducers", "Clients", "main"].map {
        Self.fixtures.appending(path: $0 + ".swift").path
      }
      let compilation = try compile([mode, "-o", program] + sources + runtime)
      try #require(compilation.status == 0, "\(compilation.output)")
      let result = try run(program, [])
      #expect(result.status == 0)
      #expect(result.output == "all checks passed\n")
    }
  }

  @Test("reports a bad declaration on its line and column, and nothing else", .blocking)
  func diagnostics() throws {
    let source = """
      import HubReducers
      // é
      struct Outer {
        @CasePathable private enum Hidden { case a }
      }
      @CasePathable  // comment
      struct Structure {}
      @CasePathable enum Twice { case é, a(Int), a(x: Int) }
      @Reducer enum Feature { case a(x: Int) }
      @DependencyClient struct Client {
        var now: @Sendable () -> Int
      }
      """
    try withDirectory { directory in
      let runtime = try compileRuntime(directory, "-Onone")
      let file = directory.appending(path: "bad.swift")
      try Data(source.utf8).write(to: file)
      let result = try compile(["-typecheck", file.path] + runtime.dropLast())
      let errors = result.output.split(separator: "\n").filter {
        $0.hasPrefix(file.path) && $0.contains(": error: ")
      }
      let places = errors.map { $0.dropFirst(file.path.count + 1).prefix { $0 != " " } }
      #expect(Set(places) == ["4:25:", "7:1:", "8:45:", "9:30:", "11:7:"], "\(result.output)")
      #expect(errors.allSatisfy { $0.contains("(from macro '") })
    }
  }
}
