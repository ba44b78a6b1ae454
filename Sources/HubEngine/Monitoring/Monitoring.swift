// Owns what the hub's administrators are shown: counters, latencies, limits that were reached, and the records for monitors.

package import HubCore

package struct Monitoring: ~Copyable {
  /// The owner's.
  package var counters = ServerCounters()
  var tally = Tally()
  private(set) var latencies = Latencies()
  /// Bounded by `mostMetLimits`.
  private var metLimits: [MetLimit] = []
  /// Bounded by `Monitor.most`.
  private(set) var monitors: [Monitor] = []
  /// In nanoseconds since 1970.
  let started: Int64

  /// The most that one turn remembers: one for each user and message.
  private static let mostMetLimits = 8

  init(started: Int64) { self.started = started }

  /// A turn is over, which took this long. All requests that it has executed count with the whole turn: their replies
  /// were sent in it, at the latest at its end, unless they wait for the disk.
  ///
  /// - Returns: whether limits were met: see `takeMetLimits`.
  package mutating func note(turn time: UInt64, at now: UInt64) -> Bool {
    counters.note(turn: time)
    latencies.add(time, turns: 1, requests: tally.takeUntimed(), at: now)
    return !metLimits.isEmpty
  }

  /// The requests since the last call took this long: a turn is over, or a session was served that had waited for its turn.
  package mutating func noteRequests(_ time: UInt64, at now: UInt64) {
    latencies.add(time, turns: 0, requests: tally.takeUntimed(), at: now)
  }

  /// A request was refused.
  mutating func note(_ error: HubError, of peer: Peer) {
    tally.count(error)
    if error.code == .quota { noteMetLimit(error, of: peer) }
  }

  @inline(never)
  private mutating func noteMetLimit(_ error: HubError, of peer: Peer) {
    guard metLimits.count < Monitoring.mostMetLimits,
      !metLimits.contains(where: { $0.peer.uid == peer.uid && $0.message == error.message })
    else { return }
    metLimits.append(MetLimit(peer: peer, message: error.message))
  }

  /// The limits that were met since the last call.
  package mutating func takeMetLimits() -> [MetLimit] {
    defer { metLimits = [] }
    return metLimits
  }

  // MARK: Monitors

  func hasMonitor(_ session: SessionID) -> Bool { monitors.contains { $0.session == session } }

  /// Starts monitoring for a session, or returns the records that it has not received yet. The filter applies from now on.
  mutating func page(
    for session: SessionID, _ filter: MonitorFilter, bytes: Int
  ) throws(HubError) -> MonitorPage {
    if let index = monitors.firstIndex(where: { $0.session == session }) {
      monitors[index].filter = filter
      return monitors[index].page(bytes: bytes)
    }
    guard monitors.count < Monitor.most else {
      throw HubError(.quota, "\(Monitor.most) connections are already monitoring the hub")
    }
    monitors.append(Monitor(session, filter))
    return MonitorPage(records: [], missed: 0, more: false, begins: true)
  }

  mutating func tell(_ record: MonitorRecord, about names: [String]) {
    for index in monitors.indices where monitors[index].wants(record, about: names) {
      monitors[index].append(record)
    }
  }

  mutating func endMonitoring(by session: SessionID) { monitors.removeAll { $0.session == session } }
}

/// A request was refused with `quota`.
package struct MetLimit: Sendable {
  package var peer: Peer
  /// Which limit, its use, and what raises it.
  package var message: String
}
