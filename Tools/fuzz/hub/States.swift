// Owns what counts as a state of a hub: a few bits for each session, and for the whole. libFuzzer keeps inputs that reach new
// ones, and at the end it says how many there were.

import Glibc

@testable import HubCore
@testable import HubEngine

@_silgen_name("hub_states")
private func counters() -> UnsafeMutablePointer<UInt8>

enum States {
  /// What can be the case, each with how many values it has: their product is below the number of counters.
  private static let sessionParts: [(name: String, values: Int)] = [
    ("delivery: (closed, greeting,) idle, live, behind, paused", 6), ("must forget", 2), ("owes synced", 2),
    ("is introduced", 2), ("wants every change", 2), ("asks: nothing, a list, a watch, an unwatch", 4),
    ("rights withdrawn", 2), ("is limited: no, by rules, by a socket", 3),
  ]
  private static let hubParts: [(name: String, values: Int)] = [
    ("changes to note", 2), ("patterns to tidy", 2), ("stores: none, some, the limit", 3),
    ("a value will end", 2),
    ("removals forgotten", 2), ("the journal waits", 2), ("log overrun", 2),
  ]
  private static let sessionStates = sessionParts.reduce(1) { $0 * $1.values }
  nonisolated(unsafe) private static var seen: Set<Int> = []
  nonisolated(unsafe) private static var isReporting = false

  static func note(_ engine: borrowing HubEngine) {
    for raw in 0..<engine.feed.sessions.limit where engine.feed.sessions.isOpen(SessionID(raw: raw)) {
      let session = SessionID(raw: raw)
      let subscriber = engine.feed.sessions[session]
      let asks =
        switch engine.feed.unfinished[session] {
        case nil: 0
        case .list: 1
        case .watch: 2
        case .unwatch: 3
        }
      let isLimited =
        engine.feed.sessions.audience(of: session) == Permissions.everything
        ? 0 : engine.socket(of: session) == nil ? 1 : 2
      mark(
        0, sessionParts,
        [
          Int(subscriber.delivery.rawValue), subscriber.mustForget ? 1 : 0, subscriber.owesSync ? 1 : 0,
          subscriber.isIntroducing ? 1 : 0, subscriber.every ? 1 : 0, asks,
          engine.feed.news[session] == nil ? 0 : 1, isLimited,
        ])
    }
    mark(
      sessionStates, hubParts,
      [
        engine.feed.pending.isEmpty ? 0 : 1, engine.feed.patterns.isUntidy ? 1 : 0,
        engine.storeCount == 0 ? 0 : engine.storeCount < engine.options.maximumStores ? 1 : 2,
        engine.nextDeadline == nil ? 0 : 1, engine.history.removals.floorRevision > 0 ? 1 : 0,
        engine.ledger.awaitsJournal ? 1 : 0, engine.history.log.tail > 0 ? 1 : 0,
      ])
  }

  private static func mark(_ base: Int, _ parts: [(name: String, values: Int)], _ values: [Int]) {
    var state = 0
    for (part, value) in zip(parts, values) { state = state * part.values + value }
    counters()[base + state] = 1
    if seen.insert(base + state).inserted, !isReporting {
      isReporting = true
      atexit { States.report() }
    }
  }

  /// How many states were reached, and the values of single parts that no state had.
  private static func report() {
    for (what, base, parts) in [("sessions", 0, sessionParts), ("hubs", sessionStates, hubParts)] {
      let count = parts.reduce(1) { $0 * $1.values }
      let states = seen.filter { base..<base + count ~= $0 }.map { $0 - base }
      print("states of \(what): \(states.count)")
      var scale = count
      for part in parts {
        scale /= part.values
        let missing = Set(0..<part.values).subtracting(states.map { $0 / scale % part.values })
        if !missing.isEmpty { print("  never: \(part.name): \(missing.sorted())") }
      }
    }
  }
}
