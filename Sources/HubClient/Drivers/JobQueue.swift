// The jobs of tasks that prefer the hub's thread, and whether that thread sleeps. It runs nothing itself.

internal import Synchronization

/// A sleeping thread is woken exactly once; one that is awake checks the queue before it sleeps.
struct JobQueue: ~Copyable {
  private let jobs = Mutex<[UnownedJob]>([])
  private let isAsleep = Atomic<Bool>(false)

  /// - Returns: whether the thread must be woken.
  func append(_ job: UnownedJob) -> Bool {
    jobs.withLock { $0.append(job) }
    // If the thread set the flag before it checked the jobs, it is visible here: both went through that lock.
    guard isAsleep.load(ordering: .relaxed) else { return false }
    return isAsleep.exchange(false, ordering: .sequentiallyConsistent)
  }

  /// Swaps the waiting jobs for the empty `batch`, whose memory is used again.
  func take(_ batch: inout [UnownedJob]) {
    jobs.withLock { swap(&$0, &batch) }
  }

  var isEmpty: Bool { jobs.withLock { $0.isEmpty } }

  /// The thread is about to sleep.
  ///
  /// - Returns: false if it must not.
  func prepareToSleep() -> Bool {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    if isEmpty { return true }
    isAsleep.store(false, ordering: .sequentiallyConsistent)
    return false
  }

  func didWake() { isAsleep.store(false, ordering: .relaxed) }
}
