// Owns the dependency through which a program's features reach the hub.

extension DependencyValues {
  /// The hub that `@Shared(.hub(...))` and features of your own use.
  ///
  /// In the running program there is one for the process, which connects to the machine's or the user's hub when it
  /// is first used. In a test and in a preview it is a hub in memory, in a test one that no other test shares:
  /// `store.dependencies.hub` or `@Dependency(\.hub)` reaches it, to declare stores or to play another program.
  public var hub: Hub {
    get { self[HubDependencyKey.self] }
    set { self[HubDependencyKey.self] = newValue }
  }
}

private enum HubDependencyKey: DependencyKey {
  static var liveValue: Hub { Hub() }
  static var previewValue: Hub { .inMemory() }
  static var testValue: Hub { .inMemory() }
}
