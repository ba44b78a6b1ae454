// The jobs of tasks that prefer the hub's thread, and whether that thread sleeps. It runs nothing itself.

internal import Synchronization

/// A thread that sleeps is woken exactly once; one that is awake looks at the queue before it sleeps.
struct JobQueue: ~Copyable {
  private let jobs = Mutex<[UnownedJob]>([])
  private let isAsleep = Atomic<Bool>(false)

  /// - Returns: whether the thread has to be woken.
  func append(_ job: UnownedJob) -> Bool {
    jobs.withLock { $0.append(job) }
    // Said before the thread looked at the jobs, it is seen here: both went through that lock.
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
