// Owns the property wrapper for values that are shared and only read here.

/// A shared value that this place only reads.
///
/// ```swift
/// @SharedReader(.hub("number")) var number = 0
/// ```
/// It is the same value as that of a ``Shared`` with the key. Observation and ``values`` report its changes.
/// Idea: Point-Free's swift-sharing.
@propertyWrapper
@dynamicMemberLookup
public struct SharedReader<Value: Sendable>: Sendable {
  let source: any SharedSource<Value>

  init(source: any SharedSource<Value>) { self.source = source }

  /// The value of a key. `wrappedValue` is its default.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedKey<Value>) {
    self.init(Shared(wrappedValue: wrappedValue(), key))
  }

  /// The value of a key, with a default of one's own.
  public init<Base: SharedKey>(wrappedValue: @autoclosure () -> Value, _ key: _SharedKeyDefault<Base>)
  where Base.Value == Value {
    self.init(Shared(wrappedValue: wrappedValue(), key))
  }

  /// The value of a key with a default.
  public init<Base: SharedKey>(_ key: _SharedKeyDefault<Base>) where Base.Value == Value {
    self.init(Shared(key))
  }

  /// The value of a `Shared`, without the way to change it.
  public init(_ shared: Shared<Value>) { source = shared.source }

  /// A value that never changes.
  public init(value: Value) { self.init(Shared(value: value)) }

  /// The newest known value.
  public var wrappedValue: Value { source.current }

  /// The reader itself.
  public var projectedValue: SharedReader { self }

  /// A member of the value.
  public subscript<Member: Sendable>(
    dynamicMember keyPath: any KeyPath<Value, Member> & Sendable
  ) -> SharedReader<Member> {
    SharedReader<Member>(source: SharedPart(of: source, get: { $0[keyPath: keyPath] }, set: { _, _ in }))
  }

  /// Whether the value's source has not reported the value yet.
  public var isLoading: Bool { source.status.isLoading }

  /// Why the value cannot be followed; `nil` again once it can.
  public var loadError: (any Error)? { source.status.loadError }

  /// The current value, then the newest one after each change, for as long as the value is shared.
  public var values: AsyncStream<Value> { source.values }
}

extension SharedReader: Equatable where Value: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.source === rhs.source || lhs.wrappedValue == rhs.wrappedValue
  }
}

extension SharedReader: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension SharedReader: CustomReflectable, CustomStringConvertible {
  public var description: String { "#\(wrappedValue)" }
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}
