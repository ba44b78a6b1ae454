// One poll for everything that a watch waits for.

internal import Glibc
internal import HubCore
internal import HubTransport

enum Waiting {
  /// What has arrived.
  struct Result {
    var isOutputClosed = false
    var hasChildEnded = false
  }

  /// Waits until the hub or a child has something, the output's reader is gone, or `deadline` has passed. A negative
  /// descriptor is waited for in vain.
  static func poll(hub: Int32, child: Int32, output: Int32, until deadline: Deadline) -> Result {
    var entries = [
      pollfd(fd: hub, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child, events: Int16(POLLIN), revents: 0),
      // Without an event to wait for, poll still reports that the other end was closed.
      pollfd(fd: output, events: 0, revents: 0),
    ]
    let now = Deadline.now
    let left = deadline > now ? (deadline.nanoseconds - now.nanoseconds + 999_999) / 1_000_000 : 0
    Glibc.poll(&entries, 3, deadline == .never ? -1 : Int32(clamping: left))
    return Result(
      isOutputClosed: entries[2].revents & Int16(POLLERR | POLLHUP) != 0,
      hasChildEnded: entries[1].revents != 0)
  }
}
