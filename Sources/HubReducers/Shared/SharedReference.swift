// Owns one shared value in this process: the shown value, the confirmed one, and pending changes. It runs callers'
// functions, saves and notifies without holding a lock.

import Observation
import Synchronization

/// The one copy of a shared value that every `Shared` of its key in the process refers to.
///
/// It shows the last confirmed value with pending changes applied on top, in order. So a change is seen at once, a
/// change made elsewhere in the meantime is kept, and a refused one disappears again.
final class SharedReference<Value: Sendable>: SharedSource, Observable {
  typealias Change = @Sendable (inout Value) -> Void

  fileprivate struct Pending {
    var id: Int
    var change: Change
  }

  fileprivate struct State {
    var confirmed: SharedSnapshot<Value>
    /// Unbounded: a change is never dropped, and its author can wait for it with `saved`.
    var pending: [Pending] = []
    var shown: Value
    /// Counts what can change `shown`.
    var version = 0
    /// Counts the changes of `shown`.
    var shownVersion = 0
    var nextPending = 0
    var isSaving = false
    var isLoading: Bool
    /// Why the value's source cannot be reached for now.
    var unreachable: (any Error)?
    var loadError: (any Error)?
    var saveError: (any Error)?
  }

  private let state: Mutex<State>
  /// The key's description.
  let key: String
  private let initial: Value
  private let livesInProcess: Bool
  private let leavesProcess: Bool
  private let saveChange:
    @Sendable (@escaping Change, SharedSnapshot<Value>) async throws -> SharedSnapshot<Value>
  private let registrar = ObservationRegistrar()
  private let following = Mutex<Task<Void, Never>?>(nil)
  /// Wakes all waiters for this value.
  private let published = CurrentValue(())

  init<Key: SharedKey<Value>>(_ key: Key, initial: Value) {
    self.key = "\(key)"
    self.initial = initial
    livesInProcess = Key.livesInProcess
    leavesProcess = key.leavesProcess
    state = Mutex(State(confirmed: SharedSnapshot(initial), shown: initial, isLoading: !Key.livesInProcess))
    saveChange = { try await key.save($0, over: $1, initial: initial) }
    guard !Key.livesInProcess else { return }
    let task = Task(executorPreference: executor) { [weak self] in
      await key.follow { [weak self] report in self?.receive(report) }
    }
    following.withLock { $0 = task }
  }

  deinit {
    following.withLock { $0 }?.cancel()
    published.finish()
  }

  /// A test's executor runs only while the test uses its store, which is unknown outside.
  private var executor: (any TaskExecutor)? { leavesProcess ? nil : EffectExecutor.current }

  // MARK: Reading

  /// The value to show.
  var value: Value {
    registrar.access(self, keyPath: \.value)
    return state.withLock { $0.shown }
  }

  var current: Value { SharedAssertion.current?.value(of: self) ?? value }

  var identity: AnyObject { self }

  var status: SharedStatus {
    registrar.access(self, keyPath: \.status)
    return state.withLock {
      SharedStatus(
        isLoading: $0.isLoading, loadError: $0.unreachable ?? $0.loadError, saveError: $0.saveError)
    }
  }

  func next(after seen: Int?) async -> (value: Value, version: Int)? {
    await waiting(for: "a change of a shared value") { state in
      state.shownVersion == seen ? nil : (value: state.shown, version: state.shownVersion)
    }
  }

  func saved() async throws {
    let last = state.withLock { $0.nextPending }
    let error = await waiting(for: "the saving of a shared value") { state in
      state.pending.contains { $0.id <= last } ? nil : Result<Void, any Error>(state.saveError)
    }
    guard let error else { throw CancellationError() }
    try error.get()
  }

  /// Waits until `condition` has a result; `nil` when the task is cancelled.
  private func waiting<R: Sendable>(for purpose: String, _ condition: (borrowing State) -> R?) async -> R? {
    var seen = 0
    while true {
      if let result = state.withLock({ condition($0) }) { return result }
      guard let next = await nextPublished(after: seen, for: purpose) else { return nil }
      seen = next
    }
  }

  private func nextPublished(after seen: Int, for purpose: String) async -> Int? {
    guard leavesProcess else { return await published.next(after: seen)?.version }
    return await withExternalWork(purpose) { await published.next(after: seen)?.version }
  }

  // MARK: Changing

  /// Shows the changed value at once, and saves the change after earlier ones.
  func change<Result, Failure: Error>(
    _ change: @escaping @Sendable (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let assertion = SharedAssertion.current { return try assertion.update(self, change) }
    while true {
      let (before, version) = state.withLock { ($0.shown, $0.version) }
      var after = before
      let result = try change(&after)
      let isNew = !isKnownEqual(before, after)
      let (isDone, startsSaving) = state.withLock { state in
        guard state.version == version else { return (false, false) }
        state.version += 1
        state.shown = after
        if isNew { state.shownVersion += 1 }
        if livesInProcess {
          state.confirmed = SharedSnapshot(after)
          return (true, false)
        }
        state.nextPending += 1
        state.pending.append(
          Pending(id: state.nextPending) { value in
            var changed = value
            guard case .success = Swift.Result(catching: { _ = try change(&changed) }) else { return }
            value = changed
          })
        defer { state.isSaving = true }
        return (true, !state.isSaving)
      }
      guard isDone else { continue }
      if startsSaving { Task(executorPreference: executor) { await self.savePending() } }
      if isNew { notify(\.value) }
      SharedChanges.current?.record(self, before: before, after: after)
      return result
    }
  }

  /// Saves pending changes as one. If that is refused, saves each by itself, so that one refusal affects no other.
  private func savePending() async {
    var refused = 0
    while let (changes, last, known) = nextPending(refused) {
      do {
        let saved = try await saveChange({ value in for next in changes { next.change(&value) } }, known)
        finish(last, confirmed: saved, error: nil)
      } catch {
        // A save that may have been executed is never repeated.
        if changes.count > 1, (error as? HubError)?.code != .outcomeUnknown {
          refused = last
        } else {
          finish(last, confirmed: nil, error: error)
        }
      }
    }
  }

  /// The changes to save next, and the id of the last of them.
  /// - Parameter refused: up to this id they are saved one by one, because together they were refused.
  private func nextPending(_ refused: Int) -> ([Pending], Int, SharedSnapshot<Value>)? {
    state.withLock { state in
      guard let first = state.pending.first, let last = state.pending.last else {
        state.isSaving = false
        return nil
      }
      return first.id > refused
        ? (state.pending, last.id, state.confirmed) : ([first], first.id, state.confirmed)
    }
  }

  /// The changes up to the id are saved, or refused.
  private func finish(_ last: Int, confirmed: SharedSnapshot<Value>?, error: (any Error)?) {
    rebase { state in
      state.pending.removeAll { $0.id <= last }
      if let confirmed { state.confirm(confirmed) }
      state.saveError = error
    }
  }

  private func receive(_ report: SharedReport<Value>) {
    rebase { [initial] state in
      switch report {
      case .value(let value, let bookmark):
        state.confirm(SharedSnapshot(value, bookmark))
        (state.isLoading, state.loadError) = (false, nil)
      case .absent(let bookmark):
        state.confirm(SharedSnapshot(initial, bookmark))
        (state.isLoading, state.loadError) = (false, nil)
      case .loading: state.isLoading = true
      case .failed(let error): (state.isLoading, state.loadError) = (false, error)
      case .unreachable(let error): state.unreachable = error
      }
    }
  }

  /// Changes the confirmed value or the pending changes, and updates the shown value.
  private func rebase(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.version += 1
    }
    while true {
      var (shown, pending, before, version) = state.withLock {
        ($0.confirmed.value, $0.pending, $0.shown, $0.version)
      }
      for next in pending { next.change(&shown) }
      let isNew = !isKnownEqual(before, shown)
      let isDone = state.withLock { state in
        guard state.version == version else { return false }
        state.shown = shown
        if isNew { state.shownVersion += 1 }
        return true
      }
      guard isDone else { continue }
      if isNew { notify(\.value) }
      return notify(\.status)
    }
  }

  private func notify<Member>(_ member: KeyPath<SharedReference, Member>) {
    registrar.withMutation(of: self, keyPath: member) {}
    published.set(())
  }
}

extension SharedReference.State {
  /// Applies a report of its source, unless a newer one has arrived.
  fileprivate mutating func confirm(_ snapshot: SharedSnapshot<Value>) {
    if let old = confirmed.bookmark, let new = snapshot.bookmark, old.epoch == new.epoch,
      new.revision < old.revision
    {
      return
    }
    confirmed = snapshot
  }
}

extension Result where Success == Void, Failure == any Error {
  fileprivate init(_ error: (any Error)?) { self = error.map { .failure($0) } ?? .success(()) }
}

/// The shared values in use, by key.
final class SharedReferences: Sendable {
  private struct Held {
    weak var object: AnyObject?
  }

  private let held = Mutex<[EffectID: Held]>([:])

  /// The value of the key; made with `initial` if it is not in use.
  func reference<Key: SharedKey>(_ key: Key, initial: () -> Key.Value) -> SharedReference<Key.Value> {
    let id = EffectID(key)
    if let reference = held.withLock({ $0[id]?.object }) as? SharedReference<Key.Value> { return reference }
    let candidate = SharedReference(key, initial: initial())
    return held.withLock { held in
      if let first = held[id]?.object as? SharedReference<Key.Value> { return first }
      held[id] = Held(object: candidate)
      if held.count.isMultiple(of: 64) { held = held.filter { $0.value.object != nil } }
      return candidate
    }
  }
}

extension SharedReferences: DependencyKey {
  static var liveValue: SharedReferences { SharedReferences() }
  static var testValue: SharedReferences { SharedReferences() }
}
