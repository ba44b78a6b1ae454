// Owns announcements of effects that wait for something outside the process, by name.

import Synchronization

/// Announces work that waits for something outside the program: a socket, a process, the wall clock.
///
/// A store ignores it. A `TestStore` is idle once nothing is left to run. It waits for announced work that is in
/// progress, up to its deadline, and names it if it does not finish.
public func withExternalWork<R, Failure: Error>(
  _ name: String, isolation: isolated (any Actor)? = #isolation, operation: () async throws(Failure) -> R
) async throws(Failure) -> R {
  guard let outside = EffectContext.current?.outside else { return try await operation() }
  let entry = outside.begin(name)
  defer { outside.end(entry) }
  return try await operation()
}

/// The outside work under way in one engine.
package final class ExternalWork: Sendable {
  private struct State {
    var next = 0
    var names: [Int: String] = [:]
  }

  private let state = Mutex(State())

  /// The announced work, oldest first.
  package var names: [String] {
    state.withLock { state in state.names.sorted { $0.key < $1.key }.map(\.value) }
  }

  fileprivate func begin(_ name: String) -> Int {
    state.withLock { state in
      state.next += 1
      state.names[state.next] = name
      return state.next
    }
  }

  fileprivate func end(_ entry: Int) { state.withLock { $0.names[entry] = nil } }
}
