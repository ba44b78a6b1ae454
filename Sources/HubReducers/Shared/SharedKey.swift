// Owns the protocol of sources of shared values, the key of values in this process, and keys with a default.

public import HubCore

/// Identifies a value that several parts of a program share, and how to reach its source.
///
/// Equal keys share one value. Conform to it to share values through another source; `.hub` and `.inMemory` already
/// exist.
public protocol SharedKey<Value>: Hashable, Sendable {
  associatedtype Value: Sendable

  /// Reports the value at its source, now and whenever it changes, while anything shares it; then the task is
  /// cancelled. A key whose values live in this process returns immediately.
  func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async

  /// Changes the value at its source, and returns the result. Saves of one value do not overlap. It waits while the
  /// source is away.
  ///
  /// - Parameters:
  ///   - change: A pure function that makes one or several changes; it may be called again if the value was changed
  ///     meanwhile.
  ///   - known: The last known value, whether reported or saved.
  ///   - initial: The value to start from if there is none.
  /// - Throws: The reason why the value was not changed.
  func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>,
    initial: Value
  ) async throws -> SharedSnapshot<Value>

  /// Whether the values live in this process, so that a change is final immediately. False by default.
  static var livesInProcess: Bool { get }

  /// Whether following and saving wait for another process. If so, they do not run on the executor of a test store,
  /// which runs only while the test uses it, and a test store waits for them. False by default.
  var leavesProcess: Bool { get }
}

/// A value and its position in its source's history.
public struct SharedSnapshot<Value: Sendable>: Sendable {
  /// The value at the source.
  public var value: Value

  /// The position; `nil` if the source keeps no history or the position is unknown, in which case the last report
  /// counts.
  public var bookmark: Bookmark?

  /// Makes a snapshot of a value, with its position in the source's history if that is known.
  public init(_ value: Value, _ bookmark: Bookmark? = nil) {
    self.value = value
    self.bookmark = bookmark
  }
}

/// A key's report about its value.
public enum SharedReport<Value: Sendable>: Sendable {
  /// The current value. A value older than the result of a save is ignored.
  case value(Value, Bookmark? = nil)

  /// There is no value; the initial one is used.
  case absent(Bookmark? = nil)

  /// The value is unknown.
  case loading

  /// The value cannot be followed, temporarily or permanently.
  case failed(any Error)

  /// The source is temporarily unreachable, and the value stays as it is; `nil` when it is reachable again.
  case unreachable((any Error)?)
}

extension SharedKey {
  public static var livesInProcess: Bool { false }
  public var leavesProcess: Bool { false }
}

/// A shared value that exists for as long as anything in the process shares it.
public struct InMemoryKey<Value: Sendable>: SharedKey {
  private let name: String

  init(_ name: String) { self.name = name }

  public static var livesInProcess: Bool { true }

  public func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async {}

  public func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>,
    initial: Value
  ) async throws -> SharedSnapshot<Value> {
    preconditionFailure("a value in memory cannot be saved elsewhere")
  }
}

extension InMemoryKey: CustomStringConvertible {
  public var description: String { name.isEmpty ? "without a key" : ".inMemory(\"\(name)\")" }
}

extension SharedKey {
  /// `@Shared(.inMemory("count")) var count = 0`: one value for every use of the name in the process; in a test, for
  /// every use in the test.
  public static func inMemory<Value>(_ name: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(name)
  }
}

extension SharedKey {
  /// A key with a default: the type of ``subscript(_:default:)``.
  public typealias Default = _SharedKeyDefault<Self>

  /// A key with a default, which declares the initial value once for all uses.
  ///
  /// ```swift
  /// extension SharedKey where Self == InMemoryKey<Bool>.Default {
  ///   static var isOn: Self { Self[.inMemory("isOn"), default: false] }
  /// }
  ///
  /// @Shared(.isOn) var isOn
  /// ```
  public static subscript<Base: SharedKey>(
    key: Base, default value: @autoclosure @escaping @Sendable () -> Base.Value
  ) -> Self where Self == _SharedKeyDefault<Base> {
    _SharedKeyDefault(base: key, value: value)
  }
}

/// A key with a default. It refers to the same value as the key alone.
public struct _SharedKeyDefault<Base: SharedKey>: SharedKey {
  public typealias Value = Base.Value

  let base: Base
  let value: @Sendable () -> Base.Value

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }

  public func hash(into hasher: inout Hasher) { hasher.combine(base) }

  public func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async {
    await base.follow(report)
  }

  public func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>, initial: Value
  ) async throws -> SharedSnapshot<Value> {
    try await base.save(change, over: known, initial: initial)
  }

  public static var livesInProcess: Bool { Base.livesInProcess }
  public var leavesProcess: Bool { base.leavesProcess }
}

extension _SharedKeyDefault: CustomStringConvertible {
  public var description: String { "\(base)" }
}
