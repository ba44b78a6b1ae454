// The program's entry: a daemon that prints a line at an interval. Anyone who may write to the hub can change the interval
// while it runs, as with `statectl set heartbeat.interval 250`.

import Glibc
import HubClient

let hub = Hub(name: "heartbeat")

do {
  let settings = Settings(hub: hub)
  try await settings.declare()
  try await settings.announce(process: getpid())
  let heart = Heart()
  for try await milliseconds in settings.interval.values {
    await heart.beat(every: .milliseconds(milliseconds))
  }
} catch {
  let line = "heartbeat: \(error)\n"
  _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(1)
}
