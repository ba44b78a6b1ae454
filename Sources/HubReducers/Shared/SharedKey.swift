// Owns the protocol of places where a shared value can live.

/// Names a value that several parts of a program share, and says how to reach it where it lives.
///
/// Equal keys are one value. Conform to it to share values through something new; `.hub` and `.inMemory` are
/// there already.
public protocol SharedKey<Value>: Hashable, Sendable {
  associatedtype Value: Sendable

  /// Reports the value where it lives, now and whenever it changes, for as long as anybody shares it. The task
  /// is cancelled when nobody does any more. A key whose values live in this process returns at once.
  func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async

  /// Changes the value where it lives, and returns what is there then.
  ///
  /// - Parameter change: A pure function; it may be called again if somebody else changed the value meanwhile.
  /// - Throws: Why the value was not changed.
  func save(_ change: @escaping @Sendable (inout Value) -> Void) async throws -> Value

  /// Whether this process is where the values live, so that a change is final at once.
  static var livesInProcess: Bool { get }
}

/// What a key reports about its value.
public enum SharedReport<Value: Sendable>: Sendable {
  /// The value is this.
  case value(Value)

  /// There is no value; the initial one stands in for it.
  case absent

  /// The value is not known yet, or not known any more.
  case loading

  /// The value cannot be followed, for now or for good.
  case failed(any Error)
}

extension SharedKey {
  public static var livesInProcess: Bool { false }
}
