// Writers and followers that detect everything a hand-off could do wrong: an error, a gap, a duplicate, a lost write.

import HubCore
import HubEngine
import TestSupport

/// Connections to one hub. Bytes are in flight in both directions whenever the test does something to the hub.
final class Traffic {
  private var writers: [(client: RawClient, sent: Int, unanswered: [UInt32])] = []
  private var followers: [RawClient] = []
  /// What the followers have seen of each store: the version, which counts every change.
  private var seen: [[StoreID: UInt64]] = []
  private var written = 0

  /// - Parameter path: where the hub listens.
  init(at path: String, writers: Int, followers: Int) throws {
    for number in 0..<writers {
      let client = try RawClient(to: path)
      try client.hello(name: "writer \(number)")
      try client.write(.set("traffic.\(number)", .integer(0)))
      self.writers.append((client, 0, []))
    }
    for number in 0..<followers {
      let client = try RawClient(to: path)
      try client.hello(name: "follower \(number)")
      try client.send(.watch("traffic.*", policy: .every))
      var versions: [StoreID: UInt64] = [:]
      for event in try client.eventsUntilSynced() {
        if let state = event.state { versions[state.id] = state.version }
      }
      self.followers.append(client)
      seen.append(versions)
    }
  }

  /// Every writer sends, without waiting. The last bytes end in the middle of a request.
  func write(_ count: Int) throws {
    for index in writers.indices {
      for _ in 0..<count {
        writers[index].sent += 1
        let value = Value.integer(Int64(writers[index].sent))
        writers[index].unanswered.append(try writers[index].client.send(.set("traffic.\(index)", value)))
      }
    }
    written += count * writers.count
  }

  /// Checks that every write succeeded, in order, each with the next version.
  func readReplies() throws {
    for index in writers.indices {
      for request in writers[index].unanswered {
        let reply = try writers[index].client.reply(to: request)
        guard case .written(let result) = reply else {
          throw TestFailure("a write was answered with \(reply)")
        }
        let expected = UInt64(writers[index].sent - writers[index].unanswered.count + 2)
        writers[index].unanswered.removeFirst()
        guard result.version == expected else {
          throw TestFailure("writer \(index): version \(result.version) instead of \(expected)")
        }
      }
    }
  }

  /// Checks that every follower has seen every change once, in order.
  func readEvents() throws {
    for index in followers.indices {
      while seen[index].values.reduce(0, +) < UInt64(writers.reduce(0) { $0 + $1.sent + 1 }) {
        let event = try followers[index].nextEvent()
        switch event {
        case .change(let state, _, _):
          let last = seen[index][state.id] ?? 0
          guard state.version == last + 1 else {
            throw TestFailure("follower \(index): version \(state.version) after \(last)")
          }
          seen[index][state.id] = state.version
        case .synced: continue
        default: throw TestFailure("follower \(index) got \(event)")
        }
      }
    }
  }
}
