// A client of a hub: the changes that it receives, whether they count as live, and whether the hub is connected.

import BridgeProcesses
import Foundation
import HubClient
import Synchronization

final class Witness: Sendable {
  private struct State {
    /// The received changes. A new hub begins another part.
    var parts: [Part] = [Part()]
    var problems: [String] = []
    var claim: ClaimStatus.State?
    /// The last of etcd's changes that was seen.
    var place = -1
    var longestLive = Duration.zero
    var longest = Duration.zero
    var violations: [String] = []
  }

  struct Part {
    /// The values before the first change, which come in any order while they do not count as live.
    var loaded: [Step] = []
    var isLoading = true
    var changes: [Step] = []
  }

  let name: String
  let hub: Hub
  private let history: History
  private let state = Mutex(State())

  init(_ name: String, _ machine: Machine, _ history: History) {
    (self.name, self.history) = (name, history)
    hub = machine.connect("witness")
  }

  var parts: [Part] { state.withLock { $0.parts } }
  var problems: [String] { state.withLock { $0.problems + $0.violations } }
  var longest: (all: Duration, live: Duration) { state.withLock { ($0.longest, $0.longestLive) } }
  var isLive: Bool { state.withLock { $0.claim == .live } }

  /// Watches all stores, and the claim in the same order.
  func watch() async {
    let events = hub.watch("net.**", ClaimStatus.pattern.text, policy: .every(limit: 100_000)).timeout(
      .seconds(600))
    var iterator = events.makeAsyncIterator()
    while let event = try? await iterator.next() { take(event) }
  }

  private func take(_ event: StoreEvent) {
    state.withLock { state in
      if event.kind == .reset {
        state.parts.append(Part())
        state.claim = nil
      }
      let last = state.parts.count - 1
      if let value = event.value, let status = ClaimStatus(event.name, value) {
        if status.name == "net" { state.claim = status.state }
        if state.claim == .live { state.parts[last].isLoading = false }
        return
      }
      guard event.kind.isAboutStore, let value = event.value else { return }
      let step = Step(name: event.name, value: "\(value)")
      if let place = history.place(of: step) { state.place = max(state.place, place) }
      if state.parts[last].isLoading { return state.parts[last].loaded.append(step) }
      if event.skipped != 0 {
        let count = event.skipped.map(String.init) ?? "unknown many"
        state.problems.append("\(name): \(count) changes of \(event.name) were skipped")
      }
      state.parts[last].changes.append(step)
    }
  }

  /// Regularly checks the age of the oldest change that this hub has not sent, and whether its values count as live.
  func judge() async {
    while (try? await Task.sleep(for: .milliseconds(50))) != nil {
      let isConnected = hub.status.isConnected
      state.withLock { state in
        // Find changes that arrived before etcd's own watch had them.
        for step in (state.parts.last?.changes ?? []).suffix(200) {
          if let place = history.place(of: step) { state.place = max(state.place, place) }
        }
        guard let since = history.time(of: state.place + 1) else { return }
        let age = ContinuousClock.now - since
        state.longest = max(state.longest, age)
        guard isConnected, state.claim == .live else { return }
        state.longestLive = max(state.longestLive, age)
        if age > .seconds(5), state.violations.count < 5 {
          state.violations.append("\(name): live, and \(age) behind etcd")
        }
      }
    }
  }

  /// Compares the received changes with the history: each part must be a piece of it, without gaps, repetitions or another order.
  func compare() -> [String] {
    var problems = problems
    for part in parts {
      // The first change is the one after the newest of the values.
      var expected = part.loaded.compactMap { history.place(of: $0) }.max().map { $0 + 1 }
      for step in part.changes {
        guard let place = history.place(of: step) else {
          problems.append("\(name): \(step) was never in etcd")
          continue
        }
        if let expected, place != expected {
          problems.append("\(name): after \(expected - 1) comes \(place): \(step)")
          if problems.count > 10 { return problems }
        }
        expected = place + 1
      }
    }
    return problems
  }
}
