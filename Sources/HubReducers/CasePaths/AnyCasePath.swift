// Owns the pair of functions that make one enum case a lens: embed a payload, extract a payload.
// It never stores state and never reads the payload.

/// A way into and out of one case of an enum: what a key path is to a property.
///
/// Idea: Point-Free's case paths. Both functions must be pure; `extract(embed(value))` is `value`.
public struct AnyCasePath<Root, Value>: Sendable {
  /// The case's name in reports, such as `child.tapped`; `nil` if it has none.
  public let name: String?
  @usableFromInline let embedValue: @Sendable (Value) -> Root
  @usableFromInline let extractValue: @Sendable (Root) -> Value?

  /// Makes a case path from its two functions, which must be pure and inverse to each other.
  @inlinable
  public init(
    _ name: String? = nil, embed: @escaping @Sendable (Value) -> Root,
    extract: @escaping @Sendable (Root) -> Value?
  ) {
    self.name = name
    self.embedValue = embed
    self.extractValue = extract
  }

  /// Resolves a case key path such as `\.settings.volume` once, so that each use costs two closure calls.
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
  /// The identity case path: the root itself.
  public static var identity: Self { Self("self", embed: { $0 }, extract: { $0 }) }
}

extension AnyCasePath {
  /// This case followed by `next` inside its payload.
  public func appending<Next>(_ next: AnyCasePath<Value, Next>) -> AnyCasePath<Root, Next> {
    AnyCasePath<Root, Next>(
      name.flatMap { name in next.name.map { "\(name).\($0)" } },
      embed: { [embedValue] in embedValue(next.embedValue($0)) },
      extract: { [extractValue] in extractValue($0).flatMap(next.extractValue) })
  }
}

extension AnyCasePath: CustomStringConvertible {
  /// The path as in source code: `\.child.tapped`.
  public var description: String { "\\.\(name ?? "\(Value.self)")" }
}
