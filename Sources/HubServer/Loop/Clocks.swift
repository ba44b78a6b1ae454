// The two clocks of the hub. Both are read when a turn begins, and one of them when it ends.

import HubCore
import HubSystem

enum Clocks {
  static var now: Instant { Instant(wall: SystemClock.real, boot: SystemClock.boot) }
}
