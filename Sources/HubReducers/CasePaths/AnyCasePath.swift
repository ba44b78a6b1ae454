// Owns the pair of functions that make one enum case a lens: embed a payload, extract a payload.
// It never stores state and never reads the payload.

/// A way into and out of one case of an enum: what a key path is to a property.
///
/// Idea: Point-Free's case paths. Both functions must be pure; `extract(embed(value))` is `value`.
public struct AnyCasePath<Root, Value>: Sendable {
  /// What reports call the case, `child.tapped`; `nil`: nothing has named it.
  public let name: String?
  @usableFromInline let embedValue: @Sendable (Value) -> Root
  @usableFromInline let extractValue: @Sendable (Root) -> Value?

  /// A case path from its two functions, which must be pure and inverse to each other.
  @inlinable
  public init(
    _ name: String? = nil, embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?
  ) {
    self.name = name
    self.embedValue = embed
    self.extractValue = extract
  }

  /// Resolves a case key path such as `\.settings.volume` once, so that using it costs two closure calls.
  public init(_ keyPath: CaseKeyPath<Root, Value>) {
    self = Case<Root>()[keyPath: keyPath].path(from: Root.self)
  }

  /// Wraps `value` in the case.
  @inlinable
  public func embed(_ value: Value) -> Root { embedValue(value) }

  /// The case's payload, or `nil` if `root` is in another case.
  @inlinable
  public func extract(from root: Root) -> Value? { extractValue(root) }
}

extension AnyCasePath where Root == Value {
  /// The case path that changes nothing.
  public static var identity: Self { Self("self", embed: { $0 }, extract: { $0 }) }
}

extension AnyCasePath {
  /// First this case, then `next` inside its payload.
  public func appending<Next>(_ next: AnyCasePath<Value, Next>) -> AnyCasePath<Root, Next> {
    AnyCasePath<Root, Next>(
      name.flatMap { name in next.name.map { "\(name).\($0)" } },
      embed: { [embedValue] in embedValue(next.embedValue($0)) },
      extract: { [extractValue] in extractValue($0).flatMap(next.extractValue) })
  }
}

extension AnyCasePath: CustomStringConvertible {
  /// As it is written: `\.child.tapped`.
  public var description: String { "\\.\(name ?? "\(Value.self)")" }
}
