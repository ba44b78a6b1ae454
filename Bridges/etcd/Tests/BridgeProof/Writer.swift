// Increments a counter by compare-and-set through a hub, as often as it can, and counts the results.

import BridgeProcesses
import Foundation
import HubClient
import Synchronization

final class Writer: Sendable {
  struct Account {
    var acknowledged = 0
    /// The outcome is unknown.
    var unknown = 0
    var conflicts = 0
    /// Not done: the hub, its provider or etcd was missing.
    var unavailable = 0
    var others: [String: Int] = [:]
    var own = 0
    var longestPause = Duration.zero
  }

  private let hub: Hub
  private let number: Int
  private let account = Mutex(Account())

  init(_ number: Int, _ machine: Machine) {
    self.number = number
    hub = machine.connect("writer", timeout: .seconds(5))
  }

  var result: Account { account.withLock { $0 } }

  func run() async {
    let (counter, own) = (hub.value("net.counter", of: Int.self), hub.value("net.own\(number)", of: Int.self))
    var last = ContinuousClock.now
    while !Task.isCancelled {
      do throws(HubError) {
        let before = try await counter.read()
        try await counter.set(before.value + 1, if: .unchanged(since: before))
        let pause = ContinuousClock.now - last
        last = .now
        let sum = account.withLock { account in
          account.acknowledged += 1
          account.longestPause = max(account.longestPause, pause)
          return account.acknowledged
        }
        // Another key of its own now and then: there is an order between keys, too.
        if sum % 7 == 0 {
          try await own.set(sum)
          account.withLock { $0.own += 1 }
        }
      } catch {
        account.withLock { $0.note(error.code) }
        if error.code != .conflict { try? await Task.sleep(for: .milliseconds(20)) }
      }
    }
  }
}

extension Writer.Account {
  fileprivate mutating func note(_ code: HubError.Code) {
    switch code {
    case .conflict: conflicts += 1
    // The last one is cancelled.
    case .unanswered, .outcomeUnknown, .timeout, .closed: unknown += 1
    case .unavailable, .noHub, .connectionLost, .noSuchStore: unavailable += 1
    default: others["\(code)", default: 0] += 1
    }
  }
}
