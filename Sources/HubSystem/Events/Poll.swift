// One wait for a few descriptors, without an epoll instance.

internal import Glibc

package enum Poll {
  package enum Purpose {
    case reading
    case writing
    case readingOrWriting
    /// Only that the other end was closed.
    case closing

    fileprivate var events: Int16 {
      switch self {
      case .reading: Int16(POLLIN)
      case .writing: Int16(POLLOUT)
      case .readingOrWriting: Int16(POLLIN | POLLOUT)
      case .closing: 0
      }
    }
  }

  package struct Result {
    private let events: Int16

    fileprivate init(_ entry: pollfd) { events = entry.revents }

    /// What was waited for has happened, or the other end was closed.
    package var isReady: Bool { events != 0 }
    /// The other end was closed.
    package var isClosed: Bool { events & Int16(POLLERR | POLLHUP) != 0 }
  }

  /// Waits until one of three descriptors is ready. A negative descriptor is never ready.
  ///
  /// - Parameter milliseconds: -1: no timeout. A signal ends the wait early.
  package static func wait(
    _ first: (Int32, Purpose), _ second: (Int32, Purpose), _ third: (Int32, Purpose), milliseconds: Int32
  ) -> (Result, Result, Result) {
    var entries = [first, second, third].map { pollfd(fd: $0.0, events: $0.1.events, revents: 0) }
    poll(&entries, 3, milliseconds)
    return (Result(entries[0]), Result(entries[1]), Result(entries[2]))
  }

  /// The same for any number of them, in their order.
  package static func wait(_ descriptors: [(Int32, Purpose)], milliseconds: Int32) -> [Result] {
    var entries = descriptors.map { pollfd(fd: $0.0, events: $0.1.events, revents: 0) }
    poll(&entries, nfds_t(entries.count), milliseconds)
    return entries.map(Result.init)
  }

  /// Waits until a descriptor is ready.
  ///
  /// - Parameter milliseconds: -1: no timeout. A signal ends the wait early.
  /// - Returns: whether it is.
  @discardableResult
  package static func wait(for purpose: Purpose, on descriptor: Int32, milliseconds: Int32 = -1) -> Bool {
    var entry = pollfd(fd: descriptor, events: purpose.events, revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Waits for a time only. A signal ends the wait early.
  package static func pause(milliseconds: Int32) { poll(nil, 0, milliseconds) }
}
