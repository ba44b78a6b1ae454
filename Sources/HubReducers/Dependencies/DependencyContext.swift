// Decides whether this process is the real program, a preview or a test run.

import HubSystem

/// Selects a dependency's default value where it is not overridden.
public enum DependencyContext: String, Sendable, CaseIterable {
  case live
  case preview
  case test
}

extension DependencyContext {
  /// `STATEHUB_DEPENDENCY_CONTEXT` (live, preview, test) if set; else `test` in a test run; else `live`.
  static let detected: DependencyContext = {
    if let named = Environment["STATEHUB_DEPENDENCY_CONTEXT"],
      let context = DependencyContext(rawValue: named)
    {
      return context
    }
    return isTesting(CurrentProcess.arguments.map { String(decoding: $0, as: UTF8.self) }) ? .test : .live
  }()

  /// SwiftPM runs tests as `PackageTests.xctest` or through a helper that gets `--testing-library`.
  package static func isTesting(_ arguments: [String]) -> Bool {
    arguments.first?.hasSuffix(".xctest") == true
      || arguments.contains { $0.hasPrefix("--testing-library") || $0.hasSuffix("swiftpm-testing-helper") }
  }
}
