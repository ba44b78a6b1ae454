// The epoll instance: which descriptors are watched for what, and which events have come. Every registration is
// edge-triggered.

import CLinux
import Glibc

struct Poller: ~Copyable {
  /// What happened to a descriptor.
  struct Event {
    let descriptor: Int32
    private let flags: UInt32

    fileprivate init(_ event: UnsafePointer<epoll_event>) {
      descriptor = clinux_event_descriptor(event)
      flags = clinux_event_flags(event)
    }

    /// It can be read, or a read will report that it has ended.
    var isReadable: Bool { flags & (EPOLLIN.rawValue | Poller.ends) != 0 }
    /// Its reads come to an end, for good or at urgent data.
    var endsReads: Bool { flags & Poller.ends != 0 }
    /// It can be written, or a write will report that it has ended.
    var isWritable: Bool { flags & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
  }

  private let epoll: Descriptor
  private let events: UnsafeMutablePointer<epoll_event>
  private static let capacity = 512
  private static let ends = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue | EPOLLPRI.rawValue
  private static let reading =
    EPOLLIN.rawValue | EPOLLPRI.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue

  /// It survives exec, with all registrations: closing ten thousand of them would take longer than everything else.
  init() throws(ServerError) {
    epoll = try Descriptor(epoll_create1(0), from: "epoll_create1")
    events = .allocate(capacity: Poller.capacity)
  }

  /// - Parameter raw: an epoll instance that another program of this process created.
  init(adopting raw: Int32) {
    epoll = Descriptor(adopting: raw)
    events = .allocate(capacity: Poller.capacity)
  }

  var raw: Int32 { epoll.raw }

  deinit { events.deallocate() }

  /// Watching a descriptor that is already watched has no effect.
  ///
  /// - Returns: false if the kernel has no memory for it.
  func add(_ descriptor: Int32) -> Bool {
    clinux_epoll_control(epoll.raw, EPOLL_CTL_ADD, descriptor, Poller.reading) == 0 || errno == EEXIST
  }

  /// Sets whether to watch for writability, too. If the descriptor is writable now, that is an event at once.
  func setWriting(_ writing: Bool, for descriptor: Int32) {
    let flags = writing ? Poller.reading | EPOLLOUT.rawValue : Poller.reading
    _ = clinux_epoll_control(epoll.raw, EPOLL_CTL_MOD, descriptor, flags)
  }

  /// Waits for events.
  ///
  /// - Parameter milliseconds: 0: does not wait; -1: no timeout.
  /// - Returns: how many there are, to be read with `event(_:)`.
  func wait(milliseconds: Int32) -> Int {
    max(0, Int(epoll_wait(epoll.raw, events, Int32(Poller.capacity), milliseconds)))
  }

  func event(_ index: Int) -> Event {
    precondition(index >= 0 && index < Poller.capacity)
    return Event(events + index)
  }
}
