// What is left to be done once the client's lock has been let go: waking those who wait. Nothing here takes that lock.

internal import HubCore

/// Collected under the lock, carried out behind it: resuming a continuation calls an executor, which may be
/// anybody's code.
struct Effects: Sendable {
  private var finished: [(Call, Result<Answer, HubError>)] = []
  private var awake: [UnsafeContinuation<Void, Never>] = []

  var isEmpty: Bool { finished.isEmpty && awake.isEmpty }

  mutating func finish(_ call: Call, _ result: Result<Answer, HubError>) { finished.append((call, result)) }

  mutating func wake(_ waiter: UnsafeContinuation<Void, Never>?) {
    if let waiter { awake.append(waiter) }
  }

  /// Carries everything out and keeps the memory.
  mutating func run() {
    for (call, result) in finished { call.finish(result) }
    finished.removeAll(keepingCapacity: true)
    for waiter in awake { waiter.resume() }
    awake.removeAll(keepingCapacity: true)
  }
}
