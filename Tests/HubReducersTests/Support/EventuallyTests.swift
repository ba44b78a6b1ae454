// Tests the waiting of the other tests: what a busy process delays is no failure, what never comes is one.

import Dispatch
import Glibc
import TestSupport
import Testing

@Suite struct EventuallyTests {
  @Test("waiting is patient while the threads are held: what is waited for gets as few turns as the waiting")
  func heldThreads() async throws {
    let threads = HeldThreads()
    let steps = Log<Int>()
    // Each is a turn of its own: a yield would go by the pool, where others have their turns.
    @Sendable func take(_ step: Int) {
      Task(executorPreference: threads) {
        steps.append(step)
        if step < 10 { take(step + 1) }
      }
    }
    take(1)
    // Far less than the ten steps take.
    try await Task(executorPreference: threads) {
      try await eventually("ten steps", atMost: .milliseconds(200)) { steps.entries.count == 10 }
    }.value
  }

  @Test("waiting for what never comes ends")
  func never() async {
    await #expect(throws: TestFailure.self) {
      try await eventually("never", atMost: .milliseconds(20)) { false }
    }
  }
}

/// Runs jobs one after the other, each after somebody else's that holds the thread for long.
private final class HeldThreads: TaskExecutor {
  private static let nanoseconds = 50_000_000
  private let queue = DispatchQueue(label: "held")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      var rest = timespec(tv_sec: 0, tv_nsec: Self.nanoseconds)
      nanosleep(&rest, nil)
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
