// What a Hub has for the one iteration of a claim: claimed, writes to decide about, lost, failed.

internal import HubCore
internal import Synchronization

/// Filled by the client's core, emptied by one task.
final class ClaimStream: Sendable {
  enum Step {
    /// The connection has the claim: the values are to be published.
    case claimed
    case write(ForwardedWrite)
    /// Nobody has seen that write in time. The hub is told that somebody asks for writes again: else it would wait for a decision, with
    /// the claim suspended.
    case missed(UInt64)
    /// No later attempt would make it good.
    case failed(HubError)
    case nothingYet
  }

  private struct State {
    var isClaimed = false
    /// Bounded by the claim's window: the hub forwards no more than are undecided.
    var writes: [ForwardedWrite] = []
    /// The last write that was over before anybody had seen it.
    var missed: UInt64?
    var failure: HubError?
    var waiter: EventStream.Waiter?
  }

  private let state = Mutex(State())

  /// The claim is asked for: what it has failed with before is over.
  func begin() { state.withLock { $0.failure = nil } }

  /// Each returns the waiter to wake.
  func claimed() -> EventStream.Waiter? {
    push { state in
      state.isClaimed = true
      state.writes = []
      state.missed = nil
    }
  }

  func forward(_ write: ForwardedWrite) -> EventStream.Waiter? { push { $0.writes.append(write) } }

  /// The connection is gone, and with it everything that was to be decided.
  func lost() { _ = leave() }

  /// The iteration has ended.
  ///
  /// - Returns: what nobody has taken.
  func leave() -> [ForwardedWrite] {
    state.withLock { state in
      defer { (state.isClaimed, state.writes, state.missed) = (false, [], nil) }
      return state.writes
    }
  }

  /// Nobody waits for the decision any more.
  ///
  /// - Parameter isOver: because it came too late.
  func withdraw(_ ticket: UInt64, isOver: Bool) -> EventStream.Waiter? {
    push { state in
      guard let place = state.writes.firstIndex(where: { $0.ticket == ticket }) else { return }
      state.writes.remove(at: place)
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
      return state.writes.isEmpty ? .nothingYet : .write(state.writes.removeFirst())
    }
  }

  /// Lets the current task wait until there is something to take, or until it is cancelled.
  func park(_ waiter: EventStream.Waiter) {
    let isReady = state.withLock { state in
      if state.failure != nil || state.isClaimed || state.missed != nil || !state.writes.isEmpty {
        return true
      }
      precondition(state.waiter == nil, "two tasks decide about the writes of one claim: let one do it")
      state.waiter = waiter
      return false
    }
    if isReady { return waiter.resume() }
    // Cancelled before there was a waiter, it was woken in vain.
    if Task.isCancelled { wake()?.resume() }
  }

  /// Wakes the task that waits, for it to see that it was cancelled.
  func wake() -> EventStream.Waiter? { push { _ in } }
}
