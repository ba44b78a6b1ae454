// Owns the threads of tests that block: those that wait for processes, sockets and disks, or compute for long.

import Foundation
import Synchronization
public import Testing

/// Runs each test of a suite on threads beside Swift's pool, so that its waiting costs no other test a thread.
///
/// Swift's pool has a thread per processor, and trusts tasks not to block them. At most `BlockingThreads.count` such
/// tests run at once; the others wait their turn in the order in which they came.
public struct BlockingTrait: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
  }
}

extension Trait where Self == BlockingTrait {
  /// `@Suite(.blocking)`
  public static var blocking: Self { BlockingTrait() }
}

/// A few threads that take jobs in the order in which they came.
private final class BlockingThreads: TaskExecutor {
  static let count = 6
  static let shared = BlockingThreads()

  // Not bounded: the library starts every test at once, and each waits here as a job.
  private let jobs = Mutex<[UnownedJob]>([])
  private let waiting = DispatchSemaphore(value: 0)

  private init() {
    for number in 1...Self.count {
      let thread = Thread { [self] in
        while true {
          waiting.wait()
          jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
      thread.name = "blocking \(number)"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    waiting.signal()
  }
}
