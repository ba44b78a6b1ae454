// The two clocks that the hub is told. They are read when a turn begins, and one of them when it ends.

import HubCore
import HubSystem

enum Clocks {
  static var now: Instant { Instant(wall: SystemClock.real, boot: SystemClock.boot) }
}
