// The events of a claim for its one iteration: claimed, writes and reads, lost, failed.

internal import HubCore
internal import Synchronization

/// Filled by the client's core, emptied by one task.
final class ClaimStream: Sendable {
  enum Step {
    /// The connection has the claim: publish the values.
    case claimed
    case forwarded(Forwarded)
    /// A write or a read expired before it was taken. The hub must be notified that writes are taken again; otherwise it would
    /// wait for a decision, with the claim suspended.
    case missed(UInt64)
    /// No later attempt can succeed.
    case failed(HubError)
    case nothingYet
  }

  private struct State {
    var isClaimed = false
    /// Bounded by the claim's window: the hub forwards no more that is undecided.
    var forwarded: [Forwarded] = []
    /// The last one that expired before it was taken.
    var missed: UInt64?
    var failure: HubError?
    var waiter: EventStream.Waiter?
  }

  private let state = Mutex(State())

  /// The claim was requested: an earlier failure no longer counts.
  func begin() { state.withLock { $0.failure = nil } }

  /// Each returns the waiter to wake.
  func claimed() -> EventStream.Waiter? {
    push { state in
      state.isClaimed = true
      state.forwarded = []
      state.missed = nil
    }
  }

  func forward(_ forwarded: Forwarded) -> EventStream.Waiter? { push { $0.forwarded.append(forwarded) } }

  /// Drops all that is undecided, which is lost with the connection.
  func lost() { _ = leave() }

  /// The iteration has ended.
  ///
  /// - Returns: what was not taken.
  func leave() -> [Forwarded] {
    state.withLock { state in
      defer { (state.isClaimed, state.forwarded, state.missed) = (false, [], nil) }
      return state.forwarded
    }
  }

  /// The decision is no longer needed.
  ///
  /// - Parameter isOver: because it was too late.
  func withdraw(_ ticket: UInt64, isOver: Bool) -> EventStream.Waiter? {
    push { state in
      guard let place = state.forwarded.firstIndex(where: { $0.ticket == ticket }) else { return }
      state.forwarded.remove(at: place)
      if isOver { state.missed = ticket }
    }
  }

  func fail(_ error: HubError) -> EventStream.Waiter? { push { $0.failure = $0.failure ?? error } }

  private func push(_ change: (inout State) -> Void) -> EventStream.Waiter? {
    state.withLock { state in
      change(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
  }

  func take() -> Step {
    state.withLock { state in
      if let failure = state.failure { return .failed(failure) }
      if state.isClaimed {
        state.isClaimed = false
        return .claimed
      }
      if let missed = state.missed.take() { return .missed(missed) }
      return state.forwarded.isEmpty ? .nothingYet : .forwarded(state.forwarded.removeFirst())
    }
  }

  /// Suspends the current task until there is something to take, or until it is cancelled.
  func park(_ waiter: EventStream.Waiter) {
    let isReady = state.withLock { state in
      if state.failure != nil || state.isClaimed || state.missed != nil || !state.forwarded.isEmpty {
        return true
      }
      precondition(state.waiter == nil, "two tasks are deciding the writes of one claim: use one task")
      state.waiter = waiter
      return false
    }
    if isReady { return waiter.resume() }
    // It was cancelled before it waited, so it must not wait.
    if Task.isCancelled { wake()?.resume() }
  }

  /// Wakes the waiting task, so that it sees its cancellation.
  func wake() -> EventStream.Waiter? { push { _ in } }
}
