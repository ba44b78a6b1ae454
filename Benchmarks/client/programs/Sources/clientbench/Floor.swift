// The floor of the Swift runtime: tasks on one thread that wait for a change by a bare continuation, and do nothing else.
// No hub, no socket, no lock; the same executor preference and the same rhythm as those that follow a store.

import Glibc

/// Only the main thread touches what is in here: that makes it `Sendable`.
private final class Loop: TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var batch: [UnownedJob] = []
  private var waiters: [UnsafeContinuation<Int, Never>] = []
  private var woken: [UnsafeContinuation<Int, Never>] = []

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func run() {
    swap(&jobs, &batch)
    for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    batch.removeAll(keepingCapacity: true)
  }

  func wait() async -> Int { await withUnsafeContinuation { waiters.append($0) } }

  func wake(_ value: Int) {
    swap(&waiters, &woken)
    for waiter in woken { waiter.resume(returning: value) }
    woken.removeAll(keepingCapacity: true)
  }
}

/// - Parameter isCancellable: with a cancellation handler around every wait, as an asynchronous sequence needs it.
func floor(_ tasks: Int, _ changes: Int, isCancellable: Bool) {
  let loop = Loop()
  let deliveries = Deliveries(tasks: tasks, changes: changes)
  for _ in 0..<tasks {
    Task(executorPreference: loop) {
      while true {
        let value =
          isCancellable
          ? await withTaskCancellationHandler {
            await loop.wait()
          } onCancel: {
          } : await loop.wait()
        if value == 0 { deliveries.getReady() } else { deliveries.deliver() }
      }
    }
  }
  for value in 0...changes {
    loop.run()
    usleep(.random(in: 4000..<8000))
    loop.wake(value)
  }
  loop.run()
}
