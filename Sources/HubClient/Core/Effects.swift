// What remains to be done after the client's lock is released: waking the waiters. Nothing here takes that lock.

internal import HubCore

/// Collected under the lock, carried out after it: resuming a continuation calls an executor, which may run any code.
struct Effects: Sendable {
  private var finished: [(Call, Result<Answer, HubError>)] = []
  private var waiters: [EventStream.Waiter] = []

  /// This many tasks stay in the fastest caches until they run, and none of them waits long.
  private static let few = 16

  var isEmpty: Bool { finished.isEmpty && waiters.isEmpty }

  mutating func finish(_ call: Call, _ result: Result<Answer, HubError>) { finished.append((call, result)) }

  mutating func wake(_ waiter: EventStream.Waiter?) {
    if let waiter { waiters.append(waiter) }
  }

  /// Carries everything out and keeps the memory.
  ///
  /// - Parameter between: called after every few tasks, for an executor to run those that are awake while their memory
  ///   is at hand.
  mutating func run(between: () -> Void = {}) {
    for (call, result) in finished { call.finish(result) }
    finished.removeAll(keepingCapacity: true)
    for index in waiters.indices {
      if index + Prefetching.tasks < waiters.count { waiters[index + Prefetching.tasks].prefetch() }
      waiters[index].resume()
      if index % Effects.few == Effects.few - 1 { between() }
    }
    waiters.removeAll(keepingCapacity: true)
  }
}
