// What signals do to a hub that starts, before it has a loop that answers them.

import CLinux
import Glibc

/// Until a hub serves, a stop ends it at once, and the wish for a reload waits until there is something to reload. A hub
/// that has taken over clients stops as a serving one does: then a stop waits for the loop, too.
///
/// Signals that were blocked by the hub before, in the same process, stay so: what came during the execution waits.
public enum StartSignals {
  static let stops = [SIGTERM, SIGINT]
  static let reload = [SIGHUP]

  /// The first thing that a program does which is going to serve: a SIGHUP would end it.
  public static func hold() {
    clinux_set_blocked(1, reload, reload.count)
    // Status 0, as for every hub that a signal has ended. Nobody is connected, and what is on the disk is as after a kill.
    for stop in stops { signal(stop) { _ in _exit(0) } }
  }

  /// From now on a stop waits for the loop.
  static func holdStops() { clinux_set_blocked(1, stops, stops.count) }

  /// Nobody depends on this hub yet: a stop ends it, also one that has come before.
  static func allowStops() { clinux_set_blocked(0, stops, stops.count) }
}
