// One process that follows many stores, each with a stream of its own: how long it takes to begin, what a subscription takes of
// memory, and what an event costs.

import Glibc
import HubClient
import HubCore
import HubTransport
import Synchronization

/// Creates the stores, a hundred requests at a time.
func createStores(_ path: String, _ name: String, _ count: Int) throws {
  var connection = try HubConnection(to: .explicit(path), name: "bench")
  for start in stride(from: 0, to: count, by: 100) {
    let sent = try (start..<min(start + 100, count)).map { index in
      connection.enqueue(.write(.set(.name(try StoreName("\(name).\(index)")), .integer(0))))
    }
    for request in sent { _ = try connection.receive(request, deadline: .after(.seconds(60))) }
  }
}

/// Counts the subscriptions that have begun, and then the values that they see.
final class Subscriptions: Sendable {
  private let count: Int
  private let changes: Int
  /// A change is announced when this many were seen, so that the next ones are made only then.
  static let batch = 100
  private let begun = Atomic(0)
  private let seen = Atomic(0)
  private let state: Mutex<(begin: Int, spent: Spent, memory: Int)>
  private let figures = Mutex("")

  init(_ count: Int, changes: Int) {
    self.count = count
    self.changes = changes
    state = Mutex((nowNanoseconds(), .now, residentBytes()))
  }

  func begin() {
    guard begun.add(1, ordering: .acquiringAndReleasing).newValue == count else { return }
    state.withLock { state in
      let spent = .now - state.spent
      let memory = residentBytes() - state.memory
      figures.withLock {
        $0 =
          "\"start_ms\": \(Double(nowNanoseconds() - state.begin) / 1e6), "
          + "\"start_cpu_us_each\": \(spent.microseconds / Double(count)), "
          + "\"bytes_each\": \(Double(memory) / Double(count)), "
      }
      state.spent = .now
    }
    say("ready")
  }

  func see() {
    let count = seen.add(1, ordering: .acquiringAndReleasing).newValue
    if count % Subscriptions.batch == 0 { say(line: "delivered\n") }
    guard count == changes else { return }
    let spent = .now - state.withLock { $0.spent }
    let start = figures.withLock { $0 }
    say("{\(start)\"cpu_us_per_event\": \(spent.microseconds / Double(changes))}")
  }
}

func followOne(_ hub: Hub, _ name: String, _ subscriptions: Subscriptions) async throws {
  for try await value in hub.value(name, of: Int.self).values {
    if value == 0 { subscriptions.begin() } else { subscriptions.see() }
  }
}

private func residentBytes() -> Int {
  let file = open("/proc/self/statm", O_RDONLY)
  defer { close(file) }
  var text = [CChar](repeating: 0, count: 128)
  read(file, &text, 127)
  let fields = String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self).split(
    separator: " ")
  return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}
