// From a change to the body of a loop: whoever waits gets it, once, whatever happens to the tasks around.

import HubClient
import HubTesting
import Synchronization
import TestSupport
import Testing

/// Runs its jobs when it is told to: a task stays between being woken and running for as long as a test wants.
private final class PatientExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// How many tasks are woken and do not run.
  var count: Int { jobs.withLock { $0.count } }

  func run() {
    let due = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in due { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

private final class Count: Sendable { let value = Atomic(0) }

@Suite("A change on its way to a loop")
struct DeliveryTests {
  private let executor = PatientExecutor()

  @Test("a task that is cancelled after it was woken, before it runs, sees nothing more")
  func cancelledOnTheWay() async throws {
    let hub = Hub.inMemory()
    let number = hub.value("number", of: Int.self)
    try await number.set(1)
    let seen = Mutex<[Int]>([])
    let task = Task(executorPreference: executor) {
      for try await value in number.values { seen.withLock { $0.append(value) } }
    }
    executor.run()
    #expect(seen.withLock { $0 } == [1])
    try await number.set(2)
    #expect(executor.count == 1)
    task.cancel()
    while executor.count > 0 { executor.run() }
    try await task.value
    #expect(seen.withLock { $0 } == [1])
    #expect(number.cached == nil)
  }

  @Test("a task sees the newest value of when it runs, not of when it was woken, and how many came before")
  func changesOnTheWay() async throws {
    let hub = Hub.inMemory()
    let number = hub.value("number", of: Int.self)
    try await number.set(1)
    let seen = Mutex<[(Int?, UInt64?)]>([])
    let task = Task(executorPreference: executor) {
      for try await event in number.events where event.value != nil {
        seen.withLock { $0.append((event.value, event.skipped)) }
        if event.value == 5 { break }
      }
    }
    executor.run()
    for value in 2...5 { try await number.set(value) }
    while executor.count > 0 { executor.run() }
    try await task.value
    let (values, skipped) = seen.withLock { seen in (seen.map(\.0), seen.map(\.1)) }
    #expect(values == [1, 5])
    #expect(skipped == [0, 3])
  }

  @Test("under a storm of changes every stream sees each of them once, while others are cancelled and begin")
  func storm() async throws {
    let directory = try TemporaryDirectory()
    let process = try HubProcess(in: directory)
    let hub = process.hub()
    let number = hub.value("number", of: Int.self)
    try await number.set(0)
    let last = 300
    let ready = Count()
    let readers = (0..<100).map { index in
      Task(executorPreference: index % 2 == 0 ? hub.executor : nil) { () -> String? in
        var next = 0
        for try await value in number.values(.every(limit: 1000)) {
          guard value == next else { return "\(value) instead of \(next)" }
          if value == 0 { ready.value.add(1, ordering: .relaxed) }
          next += 1
          if value == last { break }
        }
        return next == last + 1 ? nil : "ended before \(next)"
      }
    }
    while ready.value.load(ordering: .relaxed) < readers.count { await Task.yield() }
    for value in 1...last {
      let passing = (0..<3).map { index in
        Task(executorPreference: index == 0 ? nil : hub.executor) {
          var before = -1
          for try await value in number.values(.every(limit: 1000)) {
            if value <= before { return false }
            before = value
          }
          return Task.isCancelled
        }
      }
      try await number.set(value)
      for task in passing { task.cancel() }
      for task in passing { #expect(try await task.value) }
    }
    for reader in readers { #expect(try await reader.value == nil) }
  }
}
