// Owns one shared value in this process: what is shown, what its home confirmed, what is still to be saved.
// It runs callers' functions, saves and notifies with no lock held.

import Observation
import Synchronization

/// The one copy of a shared value that every `Shared` of its key in the process stands on.
///
/// Shown is what its home confirmed last, with the changes that are not saved yet applied on top, in order. So
/// a change is seen at once, a change made elsewhere meanwhile is kept, and a refused one disappears again.
final class SharedReference<Value: Sendable>: Sendable, Observable {
  typealias Change = @Sendable (inout Value) -> Void

  private struct Pending {
    var id: Int
    var change: Change
  }

  private struct State {
    var confirmed: Value
    var pending: [Pending] = []
    var shown: Value
    var version = 0
    var nextPending = 0
    var isSaving = false
    var isLoading: Bool
    var loadError: (any Error)?
    var saveError: (any Error)?
  }

  private let state: Mutex<State>
  private let initial: Value
  private let livesInProcess: Bool
  private let saveChange: @Sendable (@escaping Change) async throws -> Value
  private let registrar = ObservationRegistrar()
  private let following = Mutex<Task<Void, Never>?>(nil)
  let published: CurrentValue<Int>

  init<Key: SharedKey<Value>>(_ key: Key, initial: Value) {
    self.initial = initial
    livesInProcess = Key.livesInProcess
    state = Mutex(State(confirmed: initial, shown: initial, isLoading: !Key.livesInProcess))
    saveChange = { try await key.save($0) }
    published = CurrentValue(0)
    guard !Key.livesInProcess else { return }
    let task = Task(executorPreference: EffectExecutor.current) { [weak self] in
      await key.follow { [weak self] report in self?.receive(report) }
    }
    following.withLock { $0 = task }
  }

  deinit {
    following.withLock { $0 }?.cancel()
    published.finish()
  }

  // MARK: Reading

  /// The value to show.
  var value: Value {
    registrar.access(self, keyPath: \.value)
    return state.withLock { $0.shown }
  }

  var isLoading: Bool {
    registrar.access(self, keyPath: \.value)
    return state.withLock { $0.isLoading }
  }

  var loadError: (any Error)? {
    registrar.access(self, keyPath: \.value)
    return state.withLock { $0.loadError }
  }

  var saveError: (any Error)? {
    registrar.access(self, keyPath: \.value)
    return state.withLock { $0.saveError }
  }

  // MARK: Changing

  /// Shows the changed value at once, and saves the change after the ones before it.
  func update(_ change: @escaping Change) -> (before: Value, after: Value) {
    while true {
      let (before, version) = state.withLock { ($0.shown, $0.version) }
      var after = before
      change(&after)
      let (isDone, startsSaving) = state.withLock { state in
        guard state.version == version else { return (false, false) }
        state.version += 1
        state.shown = after
        if livesInProcess {
          state.confirmed = after
          return (true, false)
        }
        state.nextPending += 1
        state.pending.append(Pending(id: state.nextPending, change: change))
        defer { state.isSaving = true }
        return (true, !state.isSaving)
      }
      guard isDone else { continue }
      if startsSaving { Task(executorPreference: EffectExecutor.current) { await self.savePending() } }
      notify()
      return (before, after)
    }
  }

  /// Returns when everything that was changed before is saved or refused.
  func saved() async throws {
    let last = state.withLock { $0.nextPending }
    var seen = -1
    while state.withLock({ $0.pending.contains { $0.id <= last } }) {
      guard let next = await published.next(after: seen) else { throw CancellationError() }
      seen = next.version
    }
    if let error = state.withLock({ $0.saveError }) { throw error }
  }

  private func savePending() async {
    while let next = nextPending() {
      do {
        let value = try await saveChange(next.change)
        settle(next.id, confirmed: value, error: nil)
      } catch {
        settle(next.id, confirmed: nil, error: error)
      }
    }
  }

  private func nextPending() -> Pending? {
    state.withLock { state in
      if state.pending.isEmpty { state.isSaving = false }
      return state.pending.first
    }
  }

  /// The change with the id is saved, or refused.
  private func settle(_ id: Int, confirmed: Value?, error: (any Error)?) {
    rebase { state in
      state.pending.removeAll { $0.id == id }
      if let confirmed { state.confirmed = confirmed }
      state.saveError = error
    }
  }

  private func receive(_ report: SharedReport<Value>) {
    rebase { [initial] state in
      switch report {
      case .value(let value):
        (state.confirmed, state.isLoading, state.loadError) = (value, false, nil)
      case .absent:
        (state.confirmed, state.isLoading, state.loadError) = (initial, false, nil)
      case .loading: state.isLoading = true
      case .failed(let error): (state.isLoading, state.loadError) = (false, error)
      }
    }
  }

  /// Changes what is confirmed or pending, and shows the confirmed value with what is pending on top.
  private func rebase(_ body: (inout State) -> Void) {
    var (confirmed, pending, version) = state.withLock { state in
      body(&state)
      state.version += 1
      return (state.confirmed, state.pending, state.version)
    }
    while true {
      var shown = confirmed
      for next in pending { next.change(&shown) }
      let isDone = state.withLock { state in
        if state.version == version { state.shown = shown }
        defer { (confirmed, pending, version) = (state.confirmed, state.pending, state.version) }
        return state.version == version
      }
      if isDone { return notify() }
    }
  }

  private func notify() {
    registrar.withMutation(of: self, keyPath: \.value) {}
    published.set(state.withLock { $0.version })
  }
}
