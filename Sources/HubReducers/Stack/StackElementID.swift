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
  private let take: @Sendable () -> StackElementID

  /// Counts from an id on.
  package init(from first: StackElementID = StackElementID(generation: 0)) {
    let count = Count(first.generation)
    peek = { count.peek() }
    take = { count.take() }
  }

  /// Makes an id.
  public func next() -> StackElementID { take() }

  private final class Count: Sendable {
    private let generation: Mutex<Int>

    init(_ first: Int) { generation = Mutex(first) }

    func peek() -> StackElementID { generation.withLock { StackElementID(generation: $0) } }

    func take() -> StackElementID {
      generation.withLock { generation in
        defer { generation += 1 }
        return StackElementID(generation: generation)
      }
    }
  }
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
