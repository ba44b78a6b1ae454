// Owns the exhaustivity of test stores.

/// Whether a test must account for everything that happens.
public enum Exhaustivity: Sendable, Hashable {
  /// Every state change and every received action must be asserted.
  case on

  /// Only what is asserted is checked. The test's output can mention what was skipped.
  case off(showSkippedAssertions: Bool)

  /// Only what is asserted is checked, silently.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
