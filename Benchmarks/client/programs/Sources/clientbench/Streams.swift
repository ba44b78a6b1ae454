// What following a store costs: one stream by the age of what it sees, many by what each change costs the process.

import HubClient
import Synchronization

/// Room for every change: none is to be skipped.
private let policy = StreamPolicy.every(limit: 1 << 16)

/// The age of every value when the body of the loop sees it. The first value, 0, is the start.
func follow(_ store: SharedValue<Int>, _ count: Int) async throws {
  var samples: [Int] = []
  samples.reserveCapacity(count)
  var start = Spent.now
  for try await value in store.values(policy) {
    let now = nowNanoseconds()
    if value == 0 {
      say("ready")
      start = .now
      continue
    }
    samples.append(now - value)
    if samples.count == count { break }
  }
  report(samples, .now - start)
}

/// Counts the tasks that are ready, and the values that they see.
final class Deliveries: Sendable {
  private let tasks: Int
  private let total: Int
  private let changes: Int
  /// Say when everybody has seen a change, so that the next one is made only then.
  private let announces: Bool
  private let ready = Atomic(0)
  private let delivered = Atomic(0)
  private let start = Mutex(Spent.now)

  init(tasks: Int, changes: Int, announces: Bool = false) {
    self.tasks = tasks
    self.announces = announces
    self.changes = changes
    total = tasks * changes
  }

  /// One more task has seen the first value, and waits.
  func getReady() {
    guard ready.add(1, ordering: .relaxed).newValue == tasks else { return }
    start.withLock { $0 = .now }
    say("ready")
  }

  func deliver() {
    let count = delivered.add(1, ordering: .relaxed).newValue
    if announces, count % tasks == 0 { say(line: "delivered\n") }
    guard count == total else { return }
    report(changes: changes, deliveries: total, .now - start.withLock { $0 })
  }
}

/// One of many streams of a store.
func stream(_ store: SharedValue<Int>, _ deliveries: Deliveries) async throws {
  for try await value in store.values(policy) {
    if value == 0 { deliveries.getReady() } else { deliveries.deliver() }
  }
}
