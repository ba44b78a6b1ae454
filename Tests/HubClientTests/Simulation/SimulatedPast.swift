// What truly happened in the simulated hub, epoch by epoch: what programs are shown is compared with it. It judges nothing.

import HubCore

/// One change of one store, in the order in which the hub made them.
struct TrueChange {
  var revision: Revision
  /// The store's own count; of a removal too.
  var version: UInt64
  var isRemoval = false
}

/// Everything that one epoch has seen.
struct Era {
  /// All stores as they were at each revision.
  var states: [Revision: [String: StoreState]] = [0: [:]]
  /// The changes of each name, whatever store bore it.
  var changes: [String: [TrueChange]] = [:]

  /// How many changes of a name had been made at a revision.
  func count(of name: String, at revision: Revision) -> Int {
    changes[name, default: []].prefix { $0.revision <= revision }.count
  }

  /// Where such a change may stand among its name's.
  func indices(
    of name: String, _ revision: Revision, _ version: UInt64, _ isRemoval: Bool, from start: Int
  ) -> [Int] {
    changes[name, default: []].indices.filter {
      let change = changes[name]![$0]
      return $0 >= start && change.revision == revision && change.version == version
        && change.isRemoval == isRemoval
    }
  }
}

final class Past {
  private(set) var eras: [Epoch: Era] = [:]
  /// How often each write that bears a token was carried out.
  private(set) var executions: [Int64: Int] = [:]

  subscript(epoch: Epoch) -> Era { eras[epoch] ?? Era() }

  func record(_ epoch: Epoch, _ name: String, _ change: TrueChange) {
    eras[epoch, default: Era()].changes[name, default: []].append(change)
  }

  func record(_ epoch: Epoch, _ revision: Revision, _ states: [String: StoreState]) {
    eras[epoch, default: Era()].states[revision] = states
  }

  func execute(_ token: Int64) { executions[token, default: 0] += 1 }
}
