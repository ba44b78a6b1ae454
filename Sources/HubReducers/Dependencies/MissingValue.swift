// Owns the mark of a dependency's default that stands in for a missing value.

import Synchronization

/// The default's code marks itself as a placeholder; the cache keeps the mark, and reports it to every user.
final class MissingValue: Sendable {
  @TaskLocal private static var current: MissingValue?

  private let complaint = Mutex<String?>(nil)

  /// Marks the default being computed as a placeholder; outside a computation it reports the use at once.
  static func note(_ complaint: String) {
    guard let current else { return reportIssueOfCaller(complaint) }
    current.complaint.withLock { $0 = $0 ?? complaint }
  }

  /// Computes a default, and returns its mark.
  static func collect<Value>(_ compute: () -> Value) -> (value: Value, complaint: String?) {
    let missing = MissingValue()
    let value = $current.withValue(missing, operation: compute)
    return (value, missing.complaint.withLock { $0 })
  }
}
