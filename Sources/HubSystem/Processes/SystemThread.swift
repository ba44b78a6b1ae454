// Threads of the system's own, for code that waits or that must not share one.

internal import CLinux
internal import Glibc

package struct SystemThread: Sendable {
  private let id: pthread_t

  private init(_ id: pthread_t) { self.id = id }

  package static var current: SystemThread { SystemThread(pthread_self()) }

  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread, with the caller's signal mask. It must be joined.
  package static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) -> SystemThread {
    var id = pthread_t()
    let work = Unmanaged.passRetained(Work(run))
    let problem = pthread_create(
      &id, nil,
      { work in
        Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    if problem != 0 {
      work.release()
      throw SystemError(problem)
    }
    return SystemThread(id)
  }

  /// The same, but it gets no signals: the program handles these on its own threads.
  package static func startWithoutSignals(
    _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) -> SystemThread {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try start(run)
  }

  /// The same, and it ends by itself.
  package static func startDetached(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
    pthread_detach(try startWithoutSignals(run).id)
  }

  /// Makes the calling thread one that runs as soon as it wakes, and gives way soon. Otherwise one that wakes while all
  /// processors are busy waits for the end of another one's turn, a millisecond or more.
  ///
  /// - Returns: why not: kernels before 6.12 do not support it, and sandboxes may forbid it.
  package static func wakeSooner() -> SystemError? {
    clinux_set_thread_slice(shortestSlice) == 0 ? nil : .last
  }

  private static let shortestSlice: UInt64 = 100_000

  /// Waits for its end.
  package func join() { pthread_join(id, nil) }

  /// Waits for its end, but not for longer.
  ///
  /// - Returns: whether it has ended; then it is joined.
  package func join(milliseconds: Int) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = deadline.tv_nsec + milliseconds % 1000 * 1_000_000
    deadline.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    return clinux_join_before(id, &deadline) == 0
  }
}

extension SystemThread: Equatable {
  package static func == (a: SystemThread, b: SystemThread) -> Bool { pthread_equal(a.id, b.id) != 0 }
}
