// The counters that `stats` shows besides the engine's state: the engine's own, and those of its owner.

import HubCore

/// What the engine counts.
struct Tally {
  var requests: UInt64 = 0
  /// Requests up to this count are in the latencies.
  private var timedRequests: UInt64 = 0
  var changes: UInt64 = 0
  /// Refused requests, without `conflicts`.
  var errors: UInt64 = 0
  /// Writes and transactions whose condition did not hold: the purpose of conditions, not an error.
  var conflicts: UInt64 = 0

  /// A request was refused.
  mutating func count(_ error: HubError) {
    if error.code == .conflict { conflicts &+= 1 } else { errors &+= 1 }
  }

  /// How many requests there were since the last call.
  @inline(__always)
  mutating func takeUntimed() -> UInt64 {
    defer { timedRequests = requests }
    return requests &- timedRequests
  }
}

/// Counters that the owner of an engine keeps and `stats` shows. Times are in nanoseconds.
package struct ServerCounters: Sendable {
  package var connectionsAccepted: UInt64 = 0
  package var connectionsRefused: UInt64 = 0
  package var connectionsEnded: UInt64 = 0
  package var unsentBytes: UInt64 = 0
  package var turns: UInt64 = 0
  /// How long all turns took together.
  package var turnTime: UInt64 = 0
  package var longestTurn: UInt64 = 0
  /// Turns that took longer than 1, 10 and 100 milliseconds.
  package var slowTurns: (over1: UInt64, over10: UInt64, over100: UInt64) = (0, 0, 0)
  /// The limits that the owner enforces, as of the last query.
  package var limits: [LimitUse] = []
  /// The journal's own counters, as of the last query.
  package var journal = JournalCounters()

  package init() {}

  /// A turn is over.
  @inline(__always)
  package mutating func note(turn time: UInt64) {
    turnTime &+= time
    if time > ServerCounters.millisecond { note(slowTurn: time) }
    longestTurn = max(longestTurn, time)
  }

  @inline(never)
  private mutating func note(slowTurn time: UInt64) {
    slowTurns.over1 &+= 1
    if time > 10 * ServerCounters.millisecond { slowTurns.over10 &+= 1 }
    if time > 100 * ServerCounters.millisecond { slowTurns.over100 &+= 1 }
  }

  static let millisecond: UInt64 = 1_000_000
}

/// A limit of the hub, and how much of it is used.
package struct LimitUse: Sendable {
  package var name: String
  package var limit: Int
  package var use: Int

  package init(_ name: String, _ limit: Int, use: Int) {
    (self.name, self.limit, self.use) = (name, limit, use)
  }
}

/// What `stats` shows of a journal.
package struct JournalCounters: Sendable {
  /// The bytes that a start would read besides the snapshot.
  package var bytes: UInt64 = 0
  package var segments: UInt64 = 0
  package var snapshotBytes: UInt64 = 0
  /// What the disk has left for the hub, when it was last looked at.
  package var freeBytes: UInt64 = 0
  /// Bytes that the disk has not confirmed yet.
  package var unsyncedBytes: UInt64 = 0
  /// Writes to persistent stores are refused.
  package var isRefusing = false
  /// The `errno` of the disk's current failure; 0 if it works.
  package var problem: UInt64 = 0
  // Counts.
  package var snapshots: UInt64 = 0
  package var snapshotFailures: UInt64 = 0
  package var failures: UInt64 = 0
  package var syncs: UInt64 = 0
  package var syncTime: UInt64 = 0
  package var longestSync: UInt64 = 0
  package var syncTimes = LatencyHistogram()
  /// When the disk last confirmed something, in CLOCK_BOOTTIME; 0: never.
  package var lastSync: UInt64 = 0

  package init() {}
}
