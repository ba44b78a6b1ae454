// Owns the defaults already computed: each dependency's value once per context.
// It never calls a dependency's code while its lock is held.

import Dispatch
import Synchronization

/// Stores one value per dependency and context.
///
/// A first reader computes outside the lock while later ones wait for it. A reader that is itself computing another
/// default never waits, so that no two threads can wait for each other: it computes as well, and the value stored first
/// is used by all.
final class DependencyCache: Sendable {
  /// The live values of this process, and the defaults outside a test's own values.
  static let process = DependencyCache()

  private struct Entry: Hashable {
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  /// A default, and the report on its use if it only replaces a missing value.
  private struct Computed {
    var value: any Sendable
    var complaint: String?
  }

  private enum Slot {
    case computing(DispatchGroup)
    case ready(Computed)
  }

  private enum Turn {
    case compute(done: DispatchGroup?)
    case wait(DispatchGroup)
    case take(Computed)
  }

  private struct Contents {
    var slots: [Entry: Slot] = [:]
    var seeds: [ObjectIdentifier: any Sendable] = [:]
    var reported: Set<Entry> = []
  }

  private let contents = Mutex(Contents())

  /// The dependencies that the current task is computing, outermost first.
  @TaskLocal private static var path: [ObjectIdentifier] = []

  /// - Parameter user: The user of the value, if any.
  func value<Key: TestDependencyKey>(
    of key: Key.Type, in context: DependencyContext, usedBy user: DependencyUser?
  ) -> Key.Value {
    if context == .live, self !== DependencyCache.process {
      return DependencyCache.process.value(of: key, in: context, usedBy: user)
    }
    let entry = Entry(key: ObjectIdentifier(key), context: context)
    let computed = computed(key, entry)
    if let complaint = computed.complaint, let user, isToBeReported(entry) { user.report(complaint) }
    return computed.value as! Key.Value
  }

  /// Once per test; outside of a test's own values the end of a test is unknown, so every time.
  private func isToBeReported(_ entry: Entry) -> Bool {
    self === DependencyCache.process || contents.withLock { $0.reported.insert(entry).inserted }
  }

  private func computed<Key: TestDependencyKey>(_ key: Key.Type, _ entry: Entry) -> Computed {
    let path = DependencyCache.path
    precondition(!path.contains(entry.key), "the dependency \(key) needs itself to compute its default")
    while true {
      switch turn(for: entry, mayWait: path.isEmpty) {
      case .take(let computed):
        return computed
      case .wait(let group):
        group.wait()
      case .compute(let done):
        let (value, complaint) = DependencyCache.$path.withValue(path + [entry.key]) {
          MissingValue.collect { key.defaultValue(in: entry.context) }
        }
        defer { done?.leave() }
        return store(Computed(value: value, complaint: complaint), for: entry)
      }
    }
  }

  private func turn(for entry: Entry, mayWait: Bool) -> Turn {
    contents.withLock { contents in
      if let seed = contents.seeds[entry.key] { return .take(Computed(value: seed)) }
      switch contents.slots[entry] {
      case .ready(let computed): return .take(computed)
      case .computing(let group): return mayWait ? .wait(group) : .compute(done: nil)
      case nil:
        let group = DispatchGroup()
        group.enter()
        contents.slots[entry] = .computing(group)
        return .compute(done: group)
      }
    }
  }

  private func store(_ computed: Computed, for entry: Entry) -> Computed {
    contents.withLock { contents in
      if case .ready(let first) = contents.slots[entry] { return first }
      contents.slots[entry] = .ready(computed)
      return computed
    }
  }

  /// Sets the values of dependencies for every context of this cache.
  func seed(_ values: [ObjectIdentifier: any Sendable]) {
    contents.withLock { $0.seeds.merge(values) { $1 } }
  }
}

extension TestDependencyKey {
  fileprivate static func defaultValue(in context: DependencyContext) -> Value {
    switch context {
    case .test: return testValue
    case .preview: return previewValue
    case .live:
      if let live = Self.self as? any DependencyKey.Type, let value = live.liveDefault as? Value {
        return value
      }
      MissingValue.note(
        """
        \(Self.self) has no live value, and the program used it. Conform it to DependencyKey, or override it \
        where the store is made (withDependencies: { $0[\(Self.self).self] = ... }).
        """)
      return testValue
    }
  }
}

extension DependencyKey {
  fileprivate static var liveDefault: any Sendable { liveValue }
}

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
