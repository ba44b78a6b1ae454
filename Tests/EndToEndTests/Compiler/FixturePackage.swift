// Somebody else's package, in Tests/Fixtures, and the checkout that it depends on.

import FoundationEssentials
import Glibc
import TestSupport

enum FixturePackage {
  static let path = "\(checkout)/Tests/Fixtures/DependsOnStatehub"

  /// The path of one of its programs, or of its tests. All is built once, for all tests that use it, and the build
  /// folder is kept, so that only the first time takes long.
  static func built(_ program: String) async throws -> String { "\(try await building.value)/\(program)" }

  static let tests = "DependsOnStatehubPackageTests.xctest"

  private static let building = Task {
    let scratch = "\(checkout)/.build/fixtures"
    // SwiftPM does not notice when a package below the one that it builds loses or moves a file: what it then links from
    // before may not build, or may crash.
    let sources = try FileManager.default.subpathsOfDirectory(atPath: "\(checkout)/Sources")
      .filter { $0.hasSuffix(".swift") }.sorted().joined(separator: "\n")
    let note = "\(scratch)/sources"
    if (try? String(contentsOfFile: note, encoding: .utf8)) != sources {
      try? FileManager.default.removeItem(atPath: scratch)
    }
    let (isBuilt, output) = try await build(in: scratch)
    guard isBuilt else { throw TestFailure("the package does not build: \(output)") }
    try sources.write(toFile: note, atomically: true, encoding: .utf8)
    return "\(scratch)/debug"
  }

  private static func build(in scratch: String) async throws -> (isBuilt: Bool, output: String) {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let build = try ChildProcess(
      "/usr/bin/env",
      [
        "swift", "build", "--build-tests", "--package-path", path, "--scratch-path", scratch,
      ],
      directory: directory)
    return (try await build.ended() == .status(0), build.standardOutput + build.standardError)
  }
}
