// Owns the jobs of the effects under test, and runs them on request, on the requesting thread.
// It has no thread and no clock.

import HubSystem
import Synchronization

/// A queue of jobs that runs only while a thread drives it, strictly in order.
///
/// Effects under test run here, so a test decides when they run and knows when nothing is left to run: it is
/// then *idle*. Jobs may be added from any thread; they wait.
final class TestExecutor: TaskExecutor, SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// The index of the next job: the ones before it have run.
    var next = 0
    var driver: SystemThread?
    var waiter: Waiter?
    var expiredWait = 0
    var isRetired = false

    mutating func takeJob() -> UnownedJob? {
      guard next < jobs.count else {
        jobs.removeAll(keepingCapacity: true)
        next = 0
        return nil
      }
      defer { next += 1 }
      return jobs[next]
    }

    var hasWork: Bool { next < jobs.count }
  }

  private struct Waiter {
    var id: Int
    var continuation: CheckedContinuation<Bool, Never>
  }

  private let state = Mutex(State())
  private let waits = Atomic(0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (waiter, isRetired) = state.withLock { state in
      state.jobs.append(job)
      return (state.waiter.take(), state.isRetired)
    }
    waiter?.continuation.resume(returning: true)
    if isRetired { Task.detached { self.runRetired() } }
  }

  func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.driver == SystemThread.current } }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "not on the test's executor")
  }

  var hasWork: Bool { state.withLock { $0.hasWork } }

  /// Runs `body` as if on this executor, then every job until none is left.
  ///
  /// If it is called from within a job, only `body` runs, and the driver continues afterwards.
  func drive<R>(_ body: () -> R) -> R {
    let isOutermost = state.withLock { state in
      precondition(
        state.driver == nil || state.driver == SystemThread.current,
        "a test store was used from two threads at once")
      defer { state.driver = SystemThread.current }
      return state.driver == nil
    }
    let result = body()
    if isOutermost { runJobs() }
    return result
  }

  /// Runs every job until none is left.
  func run() {
    if state.withLock({ $0.isRetired }) { runRetired() } else { drive {} }
  }

  /// It is no longer driven: later jobs run at once, on the global executor.
  func retire() { state.withLock { $0.isRetired = true } }

  /// Becomes the driver, unless another thread already is; that thread runs this job too.
  private func runRetired() {
    let isDriver = state.withLock { state in
      guard state.driver == nil else { return false }
      state.driver = SystemThread.current
      return true
    }
    if isDriver { runJobs() }
  }

  private func runJobs() {
    while let job = nextJob() {
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  private func nextJob() -> UnownedJob? {
    state.withLock { state in
      let job = state.takeJob()
      if job == nil { state.driver = nil }
      return job
    }
  }

  /// Waits until there is a job, for at most `timeout`. Returns whether there is one.
  func waitForWork(atMost timeout: Duration) async -> Bool {
    let id = waits.add(1, ordering: .relaxed).newValue
    let timer = Task {
      try? await Task.sleep(for: timeout)
      giveUp(id)
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { continuation in
      let hasWork = state.withLock { state in
        if state.hasWork { return true as Bool? }
        if state.expiredWait == id { return false }
        state.waiter = Waiter(id: id, continuation: continuation)
        return nil
      }
      if let hasWork { continuation.resume(returning: hasWork) }
    }
  }

  private func giveUp(_ id: Int) {
    let waiter = state.withLock { state in
      state.expiredWait = id
      return state.waiter?.id == id ? state.waiter.take() : nil
    }
    waiter?.continuation.resume(returning: false)
  }
}

/// An actor whose executor is a test's: where the engine under test lives.
actor TestIsolation {
  private let executor: TestExecutor

  init(_ executor: TestExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
