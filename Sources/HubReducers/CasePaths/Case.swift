// Owns `Case`, the placeholder whose dynamic members turn `\.settings.volume` into a case path, and the use of such key
// paths as functions and patterns.

/// The type that case key paths are made of: `\Case<Action>.settings.volume` is written `\.settings.volume`.
///
/// A `Case` records the path composed so far. Its root type is erased here and restored by
/// ``AnyCasePath/init(_:)``.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
  /// `nil` for the empty path.
  private let steps: CaseSteps<Value>?

  /// The start of every case key path.
  public init() { steps = nil }

  private init(_ steps: CaseSteps<Value>) { self.steps = steps }

  /// Follows one case of `Value`.
  public subscript<Payload>(
    dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, Payload>>
  ) -> Case<Payload> where Value: CasePathable {
    appending(Value.allCasePaths[keyPath: keyPath])
  }

  func appending<Payload>(_ next: AnyCasePath<Value, Payload>) -> Case<Payload> {
    Case<Payload>(steps?.appending(next) ?? RootedSteps(next))
  }

  func path<Root>(from root: Root.Type) -> AnyCasePath<Root, Value> {
    if let rooted = steps as? RootedSteps<Root, Value> { return rooted.path }
    guard steps == nil, let identity = AnyCasePath<Root, Root>.identity as? AnyCasePath<Root, Value> else {
      preconditionFailure("a case key path was resolved from \(root), which is not its root")
    }
    return identity
  }
}

/// A key path to some case of `Root`, whose payload is `Value`.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

/// A key path to a case of `Root` with any payload.
public typealias PartialCaseKeyPath<Root> = PartialKeyPath<Case<Root>>

/// A case whose payload type is unknown to its user.
protocol ErasedCase {
  func payload<Root>(of root: Root) -> Any?
}

extension Case: ErasedCase {
  func payload<Root>(of root: Root) -> Any? { path(from: Root.self).extract(from: root) }
}

/// The path so far with its beginning erased: a class, so that `appending` is generic over both ends.
/// Immutable: the only subclass holds one Sendable `let`.
private class CaseSteps<Value>: @unchecked Sendable {
  func appending<Next>(_ next: AnyCasePath<Value, Next>) -> CaseSteps<Next> {
    preconditionFailure("CaseSteps is abstract")
  }
}

private final class RootedSteps<Root, Value>: CaseSteps<Value>, @unchecked Sendable {
  let path: AnyCasePath<Root, Value>

  init(_ path: AnyCasePath<Root, Value>) { self.path = path }

  override func appending<Next>(_ next: AnyCasePath<Value, Next>) -> CaseSteps<Next> {
    RootedSteps<Root, Next>(path.appending(next))
  }
}

extension KeyPath {
  /// Builds the enum from a payload: `let embed = \Case<Action>.volume; embed(5)`.
  public func callAsFunction<Enum: CasePathable, Payload>(_ payload: Payload) -> Enum
  where Root == Case<Enum>, Value == Case<Payload> {
    AnyCasePath(self).embed(payload)
  }

  /// Builds a case without a payload.
  public func callAsFunction<Enum: CasePathable>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
    AnyCasePath(self).embed(())
  }

  /// Lets a case key path be a pattern: `case \.volume:`. An enum's own pattern, such as that of `BindingAction`, takes precedence.
  @_disfavoredOverload
  public static func ~= <Enum: CasePathable, Payload>(pattern: KeyPath, value: Enum) -> Bool
  where Root == Case<Enum>, Value == Case<Payload> {
    AnyCasePath(pattern).extract(from: value) != nil
  }
}
