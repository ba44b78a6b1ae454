// Waiting for one socket, for a wake-up from another thread, and for time. It reads and writes nothing else.

internal import CLinux
internal import Glibc
internal import HubTransport

/// An epoll instance that knows at most one socket.
struct Poller: ~Copyable, Sendable {
  private let epoll: OwnedDescriptor
  private let event: OwnedDescriptor

  struct Readiness {
    var isReadable = false
    var isWritable = false
  }

  init() {
    epoll = OwnedDescriptor(epoll_create1(Int32(EPOLL_CLOEXEC)))
    event = OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    // Edge-triggered: every write is one wake-up, and it need not be read.
    control(EPOLL_CTL_ADD, event.raw, EPOLLIN.rawValue | EPOLLET.rawValue)
  }

  /// From any thread: the current or next `wait` returns at once.
  func wake() {
    var one: UInt64 = 1
    write(event.raw, &one, 8)
  }

  /// Closing the socket takes it out again.
  func add(_ socket: Int32) { control(EPOLL_CTL_ADD, socket, EPOLLIN.rawValue) }

  /// From any thread, also during a `wait`.
  func watch(_ socket: Int32, forWriting: Bool) {
    control(EPOLL_CTL_MOD, socket, EPOLLIN.rawValue | (forWriting ? EPOLLOUT.rawValue : 0))
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) {
    var entry = epoll_event()
    entry.events = events
    entry.data.fd = descriptor
    epoll_ctl(epoll.raw, operation, descriptor, &entry)
  }

  /// - Parameter timeout: milliseconds, -1: without end.
  func wait(timeout: Int32) -> Readiness {
    var entries = (epoll_event(), epoll_event())
    let count = withUnsafeMutableBytes(of: &entries) {
      epoll_wait(epoll.raw, $0.baseAddress!.assumingMemoryBound(to: epoll_event.self), 2, timeout)
    }
    var readiness = Readiness()
    for index in 0..<max(0, Int(count)) {
      let entry = index == 0 ? entries.0 : entries.1
      guard entry.data.fd != event.raw else { continue }
      readiness.isReadable = entry.events & ~EPOLLOUT.rawValue != 0
      readiness.isWritable = entry.events & EPOLLOUT.rawValue != 0
    }
    return readiness
  }
}
