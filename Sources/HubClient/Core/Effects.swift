// The work that remains after the client's lock is released: waking the waiters. Nothing here takes that lock.

internal import HubCore

/// Collected under the lock, executed after it is released: resuming a continuation calls an executor, which may run
/// any code.
package struct Effects: Sendable {
  /// Usually there is only one, and emptying an array would cost more than everything else.
  private var first: EventStream.Waiter?
  private var others: [EventStream.Waiter] = []

  package init() {}

  /// This many tasks stay in the fastest caches until they run, and none of them waits long.
  private static let few = 16

  var isEmpty: Bool { first == nil }

  /// The call's first result counts.
  mutating func finish(_ call: Call, _ result: consuming Result<Answer, HubError>) {
    wake(call.finish(result))
  }

  mutating func wake(_ waiter: EventStream.Waiter?) {
    guard let waiter else { return }
    if first == nil { first = waiter } else { others.append(waiter) }
  }

  /// Executes everything and keeps the memory.
  ///
  /// - Parameter between: called after every few tasks, for an executor to run those that are awake while their memory
  ///   is at hand.
  package mutating func run(between: () -> Void = {}) {
    guard let waiter = first.take() else { return }
    waiter.resume()
    if others.isEmpty { return }
    for index in others.indices {
      if index + Prefetching.tasks < others.count { others[index + Prefetching.tasks].prefetch() }
      others[index].resume()
      // Counts the first one as well.
      if (index + 1) % Effects.few == Effects.few - 1 { between() }
    }
    others.removeAll(keepingCapacity: true)
  }
}
