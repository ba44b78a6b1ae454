// Owns the note that a dependency's default only replaces a missing value.

import Synchronization

/// The default's code notes that it is only a placeholder; the cache keeps the note, and reports it to every user.
final class MissingValue: Sendable {
  @TaskLocal private static var current: MissingValue?

  private let complaint = Mutex<String?>(nil)

  /// Says that the default being computed replaces a missing one; outside of that it is used here and now.
  static func note(_ complaint: String) {
    guard let current else { return reportIssueOfCaller(complaint) }
    current.complaint.withLock { $0 = $0 ?? complaint }
  }

  /// Computes a default, and returns what was noted meanwhile.
  static func collect<Value>(_ compute: () -> Value) -> (value: Value, complaint: String?) {
    let missing = MissingValue()
    let value = $current.withValue(missing, operation: compute)
    return (value, missing.complaint.withLock { $0 })
  }
}
