// Owns the property wrapper that reads one dependency, and the compiler's message for an undeclared name.

/// Reads a dependency: `@Dependency(\.numberStore) var numberStore`.
///
/// It keeps the values from the wrapper's creation; overrides in effect where it is read take precedence. So a reducer
/// may be made inside `withDependencies` and run outside it. Reading is synchronous, from any thread.
@propertyWrapper
public struct Dependency<Value>: Sendable {
  private let keyPath: any KeyPath<DependencyValues, Value> & Sendable
  let initialDependencies = DependencyValues.current
  private let user: DependencyUser

  /// The dependency at a property of `DependencyValues`.
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    function: StaticString = #function
  ) {
    self.keyPath = keyPath
    user = DependencyUser(name: function, site: IssueSite(fileID, filePath, line, column))
  }

  /// The dependency of a key type, without a property.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, function: StaticString = #function
  ) where Key.Value == Value {
    keyPath = \DependencyValues[key: KeyReference<Key>()]
    user = DependencyUser(name: function, site: IssueSite(fileID, filePath, line, column))
  }

  /// The dependency's value at the point of reading. Cost: one or two dictionary look-ups.
  public var wrappedValue: Value {
    DependencyValues.current.backed(by: initialDependencies).used(by: user)[keyPath: keyPath]
  }
}

/// A key type as a key path's argument, which must be Hashable.
private struct KeyReference<Key: TestDependencyKey>: Hashable, Sendable {}

extension DependencyValues {
  fileprivate subscript<Key: TestDependencyKey>(key reference: KeyReference<Key>) -> Key.Value {
    self[Key.self]
  }
}

/// The reducer, or the function, that reads a dependency.
struct DependencyUser: Sendable {
  let name: StaticString
  let site: IssueSite

  func report(_ complaint: String) { site.report("In \(name): \(complaint)") }
}

extension Dependency {
  /// Exists only to be refused, because without it the compiler complains about the wrong argument for a key type.
  @available(
    *, unavailable,
    message: """
      no dependency has this name: declare it in an extension of DependencyValues, import the module that does, or \
      name its key, @Dependency(Key.self)
      """
  )
  @_disfavoredOverload
  public init(_ keyPath: KeyPath<_UnknownDependencies, _UnknownDependencies>) { fatalError() }

  /// The same for a property without an explicit type.
  @available(
    *, unavailable,
    message: """
      no dependency has this name: declare it in an extension of DependencyValues, import the module that does, or \
      name its key, @Dependency(Key.self)
      """
  )
  @_disfavoredOverload
  public init(_ keyPath: KeyPath<_UnknownDependencies, _UnknownDependencies>)
  where Value == _UnknownDependencies { fatalError() }
}

/// Accepts every name, so a lookup of an undeclared name ends here.
@dynamicMemberLookup
public struct _UnknownDependencies {
  public subscript(dynamicMember name: String) -> _UnknownDependencies { self }
}
