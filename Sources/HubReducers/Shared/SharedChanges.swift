// Owns what a test needs to know about shared values, which are references and so the same in every state: their
// values before and after an action, and those that the test expects.

import Synchronization

/// The changes of shared values during one action.
package final class SharedChanges: Sendable {
  @TaskLocal package static var current: SharedChanges?

  package struct Change: Sendable {
    let reference: any AnyObject & Sendable
    let key: String
    let before: any Sendable
    var after: any Sendable
  }

  private let changes = Mutex<[Change]>([])

  package init() {}

  func record<Value>(_ reference: SharedReference<Value>, before: Value, after: Value) {
    changes.withLock { changes in
      if let index = changes.firstIndex(where: { $0.reference === reference }) {
        changes[index].after = after
      } else {
        changes.append(Change(reference: reference, key: reference.key, before: before, after: after))
      }
    }
  }

  /// Returns and clears the changes so far.
  package func take() -> [Change] {
    changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
  }
}

/// Shared values as a test's closure sees and changes them: as they were before the action.
package final class SharedAssertion: Sendable {
  @TaskLocal package static var current: SharedAssertion?

  private struct Entry {
    var reference: any AnyObject & Sendable
    var key: String
    var expected: any Sendable
    var actual: any Sendable
    /// Whether the test has an expectation about it.
    var isAsserted: Bool
  }

  private let entries: Mutex<[Entry]>

  package init(_ changes: [SharedChanges.Change]) {
    let entries = changes.map {
      Entry(
        reference: $0.reference, key: $0.key, expected: $0.before, actual: $0.after, isAsserted: false)
    }
    self.entries = Mutex(entries)
  }

  func value<Value>(of reference: SharedReference<Value>) -> Value? {
    entries.withLock { $0.first { $0.reference === reference }?.expected as? Value }
  }

  func update<Value, Result, Failure: Error>(
    _ reference: SharedReference<Value>, _ change: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let actual = reference.value
    var expected = value(of: reference) ?? actual
    let result = try change(&expected)
    entries.withLock { entries in
      if let index = entries.firstIndex(where: { $0.reference === reference }) {
        entries[index].expected = expected
        entries[index].isAsserted = true
      } else {
        let entry = Entry(
          reference: reference, key: reference.key, expected: expected, actual: actual, isAsserted: true)
        entries.append(entry)
      }
    }
    return result
  }

  /// Whether it has no shared values.
  package var isUntouched: Bool { entries.withLock { $0.isEmpty } }

  /// The differences between what the test expects of shared values and what they became.
  /// - Parameter onlyAsserted: Omits values without an expectation.
  package func differences(onlyAsserted: Bool) -> [(key: String, lines: String)] {
    entries.withLock { $0 }.filter { $0.isAsserted || !onlyAsserted }.compactMap { entry in
      isEqual(entry.expected, entry.actual)
        ? nil
        : (
          key: entry.key,
          lines: difference(entry.expected, entry.actual) ?? "  (they print the same)"
        )
    }
  }

  private func isEqual(_ lhs: any Sendable, _ rhs: any Sendable) -> Bool {
    lhs is any Equatable ? isKnownEqual(lhs, rhs) : difference(lhs, rhs) == nil
  }
}
