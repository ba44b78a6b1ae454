// Owns the compiler's message for `@Dependency(\.name)` without a dependency of that name.

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

/// Has every name, so that a lookup of an undeclared name ends here.
@dynamicMemberLookup
public struct _UnknownDependencies {
  public subscript(dynamicMember name: String) -> _UnknownDependencies { self }
}
