// Owns the current set of dependencies: explicit overrides first, then each dependency's own default. The cache
// computes defaults.

/// The dependencies of a task and everything it starts.
///
/// It is a value, so changing a copy does not affect others. Read it with ``Dependency``, change it with
/// `withDependencies`, `.dependency(_:_:)` or a store's `withDependencies:`.
public struct DependencyValues: Sendable {
  /// The dependencies of the current task.
  @TaskLocal package static var current = DependencyValues()

  private var overrides: [ObjectIdentifier: any Sendable] = [:]
  private var fallback: [ObjectIdentifier: any Sendable] = [:]
  private var chosenContext: DependencyContext?
  private var cache: DependencyCache
  /// The user of the dependency being read; `nil`: it is only changed or passed on.
  private var user: DependencyUser?

  /// Makes dependencies without overrides, with the process's own cache of defaults.
  public init() { cache = .process }

  /// These overrides in the test context, with defaults that other tests do not share. Live values stay the
  /// process's, because there is only one of each.
  package func isolatedForTest() -> DependencyValues {
    var values = self
    values.chosenContext = values.chosenContext ?? .test
    if cache === DependencyCache.process { values.cache = DependencyCache() }
    return values
  }

  /// The context, which selects a dependency's default.
  public var context: DependencyContext {
    get { chosenContext ?? .detected }
    set { chosenContext = newValue }
  }

  /// The value of a dependency: its override, or its default for the context, which is computed once and kept.
  ///
  /// Cost: one dictionary look-up if overridden, otherwise a second one under a lock.
  public subscript<Key: TestDependencyKey>(key: Key.Type) -> Key.Value {
    get {
      let id = ObjectIdentifier(key)
      if let value = overrides[id] ?? fallback[id] { return value as! Key.Value }
      return cache.value(of: key, in: context, usedBy: user)
    }
    set { overrides[ObjectIdentifier(key)] = newValue }
  }

  /// These values, with `other`'s overrides where these have none.
  func backed(by other: DependencyValues) -> DependencyValues {
    guard !other.overrides.isEmpty || !other.fallback.isEmpty else { return self }
    var values = self
    if fallback.isEmpty, other.fallback.isEmpty {
      values.fallback = other.overrides
    } else {
      // Explicit overrides of this task take precedence over remembered ones.
      values.fallback = other.fallback.merging(other.overrides) { $1 }.merging(fallback) { $1 }
    }
    return values
  }

  /// The same, for a read by the program: a missing value is reported there.
  func used(by user: DependencyUser?) -> DependencyValues {
    var values = self
    values.user = user
    return values
  }

  /// Makes these overrides the process's defaults.
  func seedProcessDefaults() { DependencyCache.process.seed(overrides) }
}
