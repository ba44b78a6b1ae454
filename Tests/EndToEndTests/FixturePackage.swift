// Somebody else's package, in Tests/Fixtures, and the checkout that it depends on.

import FoundationEssentials
import Glibc
import TestSupport

enum FixturePackage {
  /// This checkout.
  static let root: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }
  static let path = "\(root)/Tests/Fixtures/DependsOnStatehub"

  /// The path of its program `Example`, built once for all tests that use it. Its build folder is kept, so that only
  /// the first time takes long.
  static var example: String {
    get async throws { try await building.value }
  }

  private static let building = Task {
    let scratch = "\(root)/.build/fixtures"
    var (isBuilt, output) = try await build(in: scratch)
    if !isBuilt {
      // SwiftPM does not notice when a package below the one that it builds has lost or moved a file.
      try? FileManager.default.removeItem(atPath: scratch)
      (isBuilt, output) = try await build(in: scratch)
    }
    guard isBuilt else { throw TestFailure("the package does not build: \(output)") }
    return "\(scratch)/debug/Example"
  }

  private static func build(in scratch: String) async throws -> (isBuilt: Bool, output: String) {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let build = try ChildProcess(
      "/usr/bin/env",
      ["swift", "build", "--package-path", path, "--scratch-path", scratch, "--disable-index-store"],
      directory: directory)
    return (try await build.ended(atMost: 400) == .status(0), build.standardOutput + build.standardError)
  }
}
