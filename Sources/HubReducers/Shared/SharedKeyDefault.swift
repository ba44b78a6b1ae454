// Owns keys with a default value.

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
