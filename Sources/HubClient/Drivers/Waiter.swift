// How a driver's thread waits: for one socket, for wake-ups from other threads, and for time. It reads and writes
// nothing.

internal import HubSystem

/// Only one thread waits. Any other may wake it, and change what it waits for.
final class Waiter: Sendable {
  private let poller: Poller
  private let wakeup: Wakeup

  init() throws(SystemError) {
    let poller = try Poller()
    let wakeup = try Wakeup()
    try poller.add(wakeup.raw)
    self.poller = poller
    self.wakeup = wakeup
  }

  /// Readable while `wait` would return at once.
  var descriptor: Int32 { poller.raw }

  /// The current or next `wait` returns immediately.
  func wake() { wakeup.signal() }

  /// Closing the socket removes it.
  func add(_ socket: Int32) throws(SystemError) { try poller.add(socket, .level) }

  func watch(_ socket: Int32, forWriting: Bool) { poller.setWriting(forWriting, for: socket, .level) }

  /// - Parameters:
  ///   - events: room for two, used only here.
  ///   - milliseconds: -1: indefinitely.
  /// - Returns: whether the socket can be read.
  func wait(_ events: inout PollerEvents, milliseconds: Int32) -> Bool {
    poller.wait(&events, milliseconds: milliseconds)
    for index in 0..<events.count where events[index].descriptor != wakeup.raw {
      return events[index].isReadable
    }
    return false
  }
}
