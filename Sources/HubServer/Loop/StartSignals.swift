// How a starting hub reacts to signals, before it has a loop that answers them.

import HubSystem

/// Until a hub serves, a stop ends it at once, and a request for a reload waits until there is something to reload. A hub
/// that has taken over clients stops like a serving one: then a stop waits for the loop as well.
///
/// Signals that the previous hub blocked in the same process stay blocked: signals that arrive during the execution wait.
package enum StartSignals {
  static let stops = [Signal.terminate, .interrupt]
  /// SIGHUP asks for a reload, SIGUSR2 for an upgrade.
  static let reloads = [Signal.hangUp, .user2]

  /// Must be the first act of a program that is going to serve: a SIGHUP or SIGUSR2 would end it.
  package static func block() {
    Signal.block(reloads)
    // Status 0, as for every hub that a signal ends. No client is connected, and the disk's content is the same as after a kill.
    for stop in stops { stop.exitSilently() }
  }

  /// From now on a stop waits for the loop.
  static func blockStops() { Signal.block(stops) }

  /// No client depends on this hub yet: a stop ends it, even an earlier one.
  static func allowStops() { Signal.unblock(stops) }
}
