// Owns the identity of a stack's elements, and the dependency that makes a new one.

import Synchronization

/// Identifies an element while it is on a stack. Every pushed element gets a new id.
///
/// With `HubReducersTesting`, a test can write the ids as numbers, because a test store counts them from 0.
public struct StackElementID: Hashable, Sendable {
  package let generation: Int

  package init(generation: Int) { self.generation = generation }
}

extension StackElementID: CustomStringConvertible, CustomReflectable {
  public var description: String { "#\(generation)" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Makes the ids of stack elements, one after the other.
public struct StackElementIDGenerator: Sendable {
  /// The id that ``next()`` returns next.
  public let peek: @Sendable () -> StackElementID
  private let count: Counter

  /// Counts from an id on.
  package init(from first: StackElementID = StackElementID(generation: 0)) {
    let count = Counter(from: first.generation)
    self.count = count
    peek = { StackElementID(generation: count.value) }
  }

  /// Makes an id.
  public func next() -> StackElementID { StackElementID(generation: count.next()) }
}

/// Counts, on any threads.
final class Counter: Sendable {
  private let atomic: Atomic<Int>

  init(from first: Int = 0) { atomic = Atomic(first) }

  /// What ``next()`` returns next.
  var value: Int { atomic.load(ordering: .relaxed) }

  func next() -> Int { atomic.add(1, ordering: .relaxed).oldValue }
}

extension DependencyValues {
  /// Makes the ids of stack elements; in a test store from 0.
  public var stackElementID: StackElementIDGenerator {
    get { self[StackElementIDKey.self] }
    set { self[StackElementIDKey.self] = newValue }
  }
}

private enum StackElementIDKey: DependencyKey {
  static var liveValue: StackElementIDGenerator { StackElementIDGenerator() }
  static var testValue: StackElementIDGenerator { StackElementIDGenerator() }
}
