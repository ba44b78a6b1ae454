// Owns how changed settings are applied to a running hub, between two turns.

import HubCore
import HubEngine

extension Exchange {
  /// Applies settings. Those that must stay are unchanged.
  ///
  /// - Returns: human-readable notes about declared stores.
  mutating func apply(_ wanted: ServerOptions) -> [String] {
    if !engine.isBetweenTurns { finishTurns() }
    let before = options.sockets
    options = wanted
    log.setLevel(options.logLevel)
    connections.changeLimits(to: options)
    journal?.leastBytes = options.snapshotThresholdBytes
    engine.apply(
      options.engine, groups: { Inheritance.groups(of: $0.raw) }, origins: { .ofPeer(at: $0.raw) })
    dismissMisplaced(since: before)
    var notes: [String] = []
    do throws(ServerError) {
      notes = try Beginning.declare(options.declarations, in: &engine, now: now)
    } catch {
      notes = ["\(error)"]
    }
    engine.declare(providers: options.providers, now: now)
    // The changes are delivered like any others: in steps, of which this is the first.
    let turn = engine.openTurn()
    commit(turn)
    finish(turn)
    return notes
  }
}
