// Owns a home for shared values that a test controls: it confirms, refuses, delays and changes them.

import HubReducers
import Synchronization

/// Where a test's shared values live.
final class RemoteHome: Sendable {
  struct Refused: Error, Equatable {}

  private struct State {
    var value: Int?
    var refuses = false
    var reports: [@Sendable (SharedReport<Int>) async -> Void] = []
    var gate: AsyncStream<Void>?
    var saves = 0
  }

  private let state = Mutex(State())
  let changes: CurrentValue<Int?>

  init(_ value: Int?) {
    changes = CurrentValue(value)
    state.withLock { $0.value = value }
  }

  var value: Int? { state.withLock { $0.value } }
  var saves: Int { state.withLock { $0.saves } }

  func set(_ value: Int?) {
    state.withLock { $0.value = value }
    changes.set(value)
  }

  func refuse(_ refuses: Bool = true) { state.withLock { $0.refuses = refuses } }

  /// Saves wait until the stream ends.
  func hold(_ gate: AsyncStream<Void>?) { state.withLock { $0.gate = gate } }

  fileprivate func save(_ change: @Sendable (inout Int) -> Void) async throws -> Int {
    if let gate = state.withLock({ $0.gate }) { for await _ in gate {} }
    let value = try state.withLock { state in
      state.saves += 1
      if state.refuses { throw Refused() }
      var value = state.value ?? 0
      change(&value)
      state.value = value
      return value
    }
    changes.set(value)
    return value
  }
}

struct RemoteKey: SharedKey {
  let home: RemoteHome

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.home === rhs.home }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(home)) }

  func follow(_ report: @escaping @Sendable (SharedReport<Int>) async -> Void) async {
    for await value in home.changes.values { await report(value.map { .value($0) } ?? .absent()) }
  }

  func save(
    _ change: @escaping @Sendable (inout Int) -> Void, over known: SharedSnapshot<Int>, initial: Int
  ) async throws -> SharedSnapshot<Int> {
    SharedSnapshot(try await home.save(change))
  }
}

extension SharedKey where Self == RemoteKey {
  static func remote(_ home: RemoteHome) -> Self { RemoteKey(home: home) }
}
