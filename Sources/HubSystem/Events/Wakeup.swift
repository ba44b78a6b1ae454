// Wakes a thread that waits for descriptors: an eventfd.

internal import CLinux
internal import Glibc

/// Any thread may signal it. A poller that is edge-triggered reports every signal, and it need not be cleared.
package struct Wakeup: ~Copyable, Sendable {
  private let event: Descriptor

  package init() throws(SystemError) { event = try Descriptor(returned: clinux_eventfd()) }

  /// Readable from a signal until it is cleared.
  package var raw: Int32 { event.raw }

  package func signal() { clinux_notify(event.raw) }

  package func clear() { clinux_unnotify(event.raw) }

  /// Waits for a signal, and clears it.
  ///
  /// - Parameter milliseconds: -1: no timeout.
  package func wait(milliseconds: Int32) {
    Poll.wait(for: .reading, on: event.raw, milliseconds: milliseconds)
    clear()
  }
}
