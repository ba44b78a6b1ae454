// Owns a reducer type's summary of the state-driven parts below it, so that the engine skips the rest.

/// What ``Reducer/supervise(_:)`` of a reducer type can return.
public struct Supervision: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Subscriptions that run while a condition on the state holds.
  @inlinable
  public static var subscriptions: Supervision { Supervision(rawValue: 1) }

  /// Removable children, whose effects end with them.
  @inlinable
  public static var scopes: Supervision { Supervision(rawValue: 2) }
}
