// Somebody else's package, in Tests/Fixtures, and the checkout that it depends on.

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
    let directory = try TemporaryDirectory()
    let scratch = "\(root)/.build/fixtures"
    let build = try ChildProcess(
      "/usr/bin/env",
      ["swift", "build", "--package-path", path, "--scratch-path", scratch, "--disable-index-store"],
      directory: directory)
    guard try await build.ended(atMost: 400) == .status(0) else {
      throw TestFailure("the package does not build: \(build.standardOutput)\(build.standardError)")
    }
    return "\(scratch)/debug/Example"
  }
}
