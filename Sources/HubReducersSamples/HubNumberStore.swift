// Owns the number store on the hub: one number for all programs.

import HubReducers
import Synchronization

extension NumberStore {
  /// A number that lives in the hub, under a name, for every program of the machine or of the user.
  ///
  /// The first use creates the store with `initial` as its initial value, so that every program and `statectl get` show the same.
  /// Where a configuration declares the store, or the user may not create it, it stays as it is.
  ///
  /// A stream begins with the current number, or with `initial` while there is none, once the hub answers. It survives the
  /// hub's restarts, and a slow reader skips to the newest number. The endpoints throw nothing, so a number that cannot be
  /// followed or set is reported as an issue.
  ///
  /// The hub is the dependency `hub` where the number store is made.
  /// - Parameters:
  ///   - name: The store's name in the hub.
  ///   - initial: The number until one is set.
  public static func hub(_ name: String = "number", initial: Int = 0) -> Self {
    let number = Dependency(\.hub).wrappedValue.value(name, of: Int.self)
    let create = Creation(of: number, initial: initial)
    return Self(
      value: {
        await create()
        return number.stream(or: initial)
      },
      updateValue: { value in
        await create()
        do {
          try await withExternalWork("setting \"\(name)\" in the hub") { () async throws(HubError) in
            _ = try await number.set(value)
          }
        } catch {
          // A cancelled caller needs no report.
          if !Task.isCancelled { reportIssueOfCaller("The number \(value) was not set in the hub: \(error)") }
        }
      })
  }
}

/// Creates the store if it is missing, once. What keeps it from that is reported by what follows.
private final class Creation: Sendable {
  private let number: SharedValue<Int>
  private let initial: Int
  private let isDone = Atomic(false)

  init(of number: SharedValue<Int>, initial: Int) { (self.number, self.initial) = (number, initial) }

  func callAsFunction() async {
    if isDone.load(ordering: .relaxed) { return }
    do {
      try await withExternalWork("creating \"\(number.name)\" in the hub") { () async throws(HubError) in
        _ = try await number.hub.create(
          number.name, Schema(type: .integer, initial: .integer(Int64(initial))), ifAbsent: true)
      }
    } catch {
      // The hub was not asked.
      if [.noHub, .timeout, .connectionLost, .closed].contains(error.code) { return }
    }
    isDone.store(true, ordering: .relaxed)
  }
}
