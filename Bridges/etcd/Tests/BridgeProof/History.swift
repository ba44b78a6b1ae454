// etcd's own history: every change under the prefix, and when a member first sent it.

import EtcdGateway
import Foundation
import Synchronization

/// A change of a key. The same in etcd and in a hub.
struct Step: Hashable {
  let name: String
  let value: String
}

final class History: Sendable {
  struct Entry {
    let revision: Int64
    let step: Step
    let time: ContinuousClock.Instant
  }

  private let state = Mutex<(entries: [Entry], places: [Step: Int])>(([], [:]))

  func add(_ entry: Entry) {
    state.withLock { state in
      // Each member sends the same revision.
      if let last = state.entries.last, last.revision >= entry.revision { return }
      state.places[entry.step] = state.entries.count
      state.entries.append(entry)
    }
  }

  var count: Int { state.withLock { $0.entries.count } }

  /// The place of a step, whose values never come twice.
  func place(of step: Step) -> Int? { state.withLock { $0.places[step] } }

  func time(of place: Int) -> ContinuousClock.Instant? {
    state.withLock { $0.entries.indices.contains(place) ? $0.entries[place].time : nil }
  }

  var steps: [Step] { state.withLock { $0.entries.map(\.step) } }

  /// Follows one member, also across its restarts, until the task is cancelled.
  func follow(_ settings: EtcdSettings, _ prefix: String) async {
    guard let client = try? EtcdClient(settings) else { return }
    var next: Int64 = 1
    while !Task.isCancelled {
      if let watch = try? await client.watch(.prefix(prefix), from: next) {
        while let step = try? await watch.next() {
          guard case .revision(let revision) = step else { continue }
          next = revision.number + 1
          for event in revision.events {
            let key = String(decoding: event.keyValue.key.dropFirst(prefix.utf8.count), as: UTF8.self)
            if key.hasPrefix(".bridge/") { continue }
            let step = Step(name: "net.\(key)", value: String(decoding: event.keyValue.value, as: UTF8.self))
            add(Entry(revision: revision.number, step: step, time: .now))
          }
        }
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }
}
