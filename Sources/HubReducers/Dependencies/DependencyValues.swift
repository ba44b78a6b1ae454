// Owns the current set of dependencies: explicit overrides first, then each dependency's own default. It never computes
// a default itself: that is the cache's.

/// The dependencies of a task and everything it starts.
///
/// A value: changing a copy changes no other. Read it with ``Dependency``, change it with
/// `withDependencies`, `.dependency(_:_:)` or a store's `withDependencies:`.
public struct DependencyValues: Sendable {
  /// The dependencies of the current task.
  @TaskLocal package static var current = DependencyValues()

  private var overrides: [ObjectIdentifier: any Sendable] = [:]
  private var fallback: [ObjectIdentifier: any Sendable] = [:]
  private var chosenContext: DependencyContext?
  private var cache: DependencyCache
  /// Who is using the dependency that is being read. `nil`: it is read only to be changed or passed on.
  private var user: DependencyUser?

  /// No overrides, and the process's own cache of defaults.
  public init() { cache = .process }

  /// These overrides in the test context, with defaults that other tests do not share. Live values stay the
  /// process's, because there is only one of each.
  package func isolatedForTest() -> DependencyValues {
    var values = self
    values.chosenContext = values.chosenContext ?? .test
    if cache === DependencyCache.process { values.cache = DependencyCache() }
    return values
  }

  /// The context that decides which default a dependency has.
  public var context: DependencyContext {
    get { chosenContext ?? .detected }
    set { chosenContext = newValue }
  }

  /// The value of a dependency: its override, or its default for the context, computed once and then kept.
  ///
  /// Cost: one dictionary look-up if overridden, else one more under a lock.
  public subscript<Key: TestDependencyKey>(key: Key.Type) -> Key.Value {
    get {
      let id = ObjectIdentifier(key)
      if let value = overrides[id] ?? fallback[id] { return value as! Key.Value }
      return cache.value(of: key, in: context, usedBy: user)
    }
    set { overrides[ObjectIdentifier(key)] = newValue }
  }

  /// These values, and where they override nothing, `other`'s overrides.
  func backed(by other: DependencyValues) -> DependencyValues {
    guard !other.overrides.isEmpty || !other.fallback.isEmpty else { return self }
    var values = self
    if fallback.isEmpty, other.fallback.isEmpty {
      values.fallback = other.overrides
    } else {
      // What this task was given on purpose counts more than what another place remembers.
      values.fallback = other.fallback.merging(other.overrides) { $1 }.merging(fallback) { $1 }
    }
    return values
  }

  /// The same, for one reading by a program: a missing value is then reported there.
  func used(by user: DependencyUser?) -> DependencyValues {
    var values = self
    values.user = user
    return values
  }

  /// Makes these overrides the process's defaults.
  func seedProcessDefaults() { DependencyCache.process.seed(overrides) }
}
