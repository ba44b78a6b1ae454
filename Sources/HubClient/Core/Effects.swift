// What remains to be done after the client's lock is released: waking the waiters. Nothing here takes that lock.

internal import HubCore

/// Collected under the lock, carried out after it: resuming a continuation calls an executor, which may run any code.
struct Effects: Sendable {
  private var waiters: [EventStream.Waiter] = []

  /// This many tasks stay in the fastest caches until they run, and none of them waits long.
  private static let few = 16

  var isEmpty: Bool { waiters.isEmpty }

  /// The call's first result counts.
  mutating func finish(_ call: Call, _ result: Result<Answer, HubError>) { wake(call.finish(result)) }

  mutating func wake(_ waiter: EventStream.Waiter?) {
    if let waiter { waiters.append(waiter) }
  }

  /// Carries everything out and keeps the memory.
  ///
  /// - Parameter between: called after every few tasks, for an executor to run those that are awake while their memory
  ///   is at hand.
  mutating func run(between: () -> Void = {}) {
    if waiters.isEmpty { return }
    for index in waiters.indices {
      if index + Prefetching.tasks < waiters.count { waiters[index + Prefetching.tasks].prefetch() }
      waiters[index].resume()
      if index % Effects.few == Effects.few - 1 { between() }
    }
    waiters.removeAll(keepingCapacity: true)
  }
}
