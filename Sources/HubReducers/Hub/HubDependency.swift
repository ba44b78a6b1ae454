// Owns the dependency through which a program's features reach the hub.

internal import HubCore
import Synchronization

extension DependencyValues {
  /// The hub that `@Shared(.hub(...))` and features of your own use.
  ///
  /// In the running program there is one for the process, which connects to the machine's or the user's hub when it
  /// is first used. In a test that links `HubReducersTesting` it is a hub in memory, which no other test shares:
  /// `store.dependencies.hub` or `@Dependency(\.hub)` reaches it, to declare stores or to play another program.
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
