// Owns the dependency for the hub.

internal import HubCore
import Synchronization

extension DependencyValues {
  /// The hub that `@Shared(.hub(...))` and your own features use.
  ///
  /// In the running program there is one per process, which connects to the machine's or the user's hub on first use.
  /// In a test that links `HubReducersTesting` it is a hub in memory that no other test shares. To declare stores or
  /// to act as another program, the test uses `store.dependencies.hub` or `@Dependency(\.hub)`.
  public var hub: Hub {
    get { self[HubDependencyKey.self] }
    set { self[HubDependencyKey.self] = newValue }
  }
}

private enum HubDependencyKey: DependencyKey {
  static var liveValue: Hub { Hub() }
  static var previewValue: Hub { testValue }
  static var testValue: Hub { HubOfTests.make() ?? missing }

  private static var missing: Hub {
    MissingValue.note(
      """
      There is no hub outside of the running program: link HubReducersTesting, or set it where the store is made \
      (withDependencies: { $0.hub = .inMemory() }, with HubTesting).
      """)
    return .ended(HubError(.noHub, "no hub was given"))
  }
}

/// How tests make their hub. `HubReducersTesting` sets it at launch: a program that does not link it does not compile
/// the engine.
package enum HubOfTests {
  private static let maker = Mutex<(@Sendable () -> Hub)?>(nil)

  package static func install(_ make: @escaping @Sendable () -> Hub) { maker.withLock { $0 = make } }

  static func make() -> Hub? { maker.withLock { $0 }?() }
}
