// Owns the dependency of the articles: one number that every part of a program can follow and set.

public import HubReducers

/// A number that lives outside of any feature and streams its changes to all of them.
///
/// ```swift
/// @Dependency(\.numberStore) var numberStore
///
/// Reduce { ... }
///   .subscribe(to: numberStore.value, on: \.task, with: \.newNumberReceived)
/// ```
/// Every stream begins with the current number, so a late subscriber is up to date immediately; a slow one skips to the newest. Idea: Oliver Foggin's
/// article on shared data.
@DependencyClient
public struct NumberStore: Sendable {
  /// A stream of the number, current value first.
  public var value: @Sendable () async -> AsyncStream<Int>

  /// Sets the number.
  public var updateValue: @Sendable (Int) async -> Void
}

extension NumberStore {
  /// A number that lives in this process, in this value and its copies. As in the hub, setting an equal number sends nothing.
  public static func inMemory(_ initial: Int = 0) -> Self {
    let number = CurrentValue(initial)
    return Self(value: { number.values }, updateValue: { number.setIfChanged($0) })
  }
}

extension NumberStore: DependencyKey {
  /// In previews: a number that lives in the process.
  public static var previewValue: Self { inMemory() }

  /// In tests: every endpoint reports that it is unimplemented.
  public static var testValue: Self { NumberStore() }

  /// In the running program: the hub's store `number`, which all programs share.
  public static var liveValue: Self { hub() }
}

extension DependencyValues {
  /// The number that the articles share.
  public var numberStore: NumberStore {
    get { self[NumberStore.self] }
    set { self[NumberStore.self] = newValue }
  }
}
