// The epoll instance: which descriptors are watched for what. What has happened to them is reported in `PollerEvents`.

public import CLinux
internal import Glibc

/// Any thread may add and change what is watched, also while another waits.
@usableFromInline package struct Poller: ~Copyable, Sendable {
  /// When something that can be read is an event.
  package enum Trigger: Sendable {
    /// Once for each time that it becomes so. Urgent data and the end of the input are separate events.
    case edge
    /// At each wait, for as long as it is so.
    case level
  }

  @usableFromInline let epoll: Descriptor

  /// - Parameter survivesExecution: a program executed in this process keeps it, with all registrations.
  package init(survivesExecution: Bool = false) throws(SystemError) {
    epoll = try Descriptor(returned: epoll_create1(survivesExecution ? 0 : Int32(EPOLL_CLOEXEC)))
  }

  /// - Parameter raw: an epoll instance that another program of this process created.
  package init(adopting raw: Int32) { epoll = Descriptor(adopting: raw) }

  package var raw: Int32 { epoll.raw }

  /// Watching a descriptor that is already watched has no effect. Closing it ends that.
  package func add(_ descriptor: Int32, _ trigger: Trigger = .edge) throws(SystemError) {
    if clinux_poller_add(epoll.raw, descriptor, trigger == .edge) == 0 || errno == EEXIST { return }
    throw .last
  }

  /// Stops watching a descriptor that stays open.
  package func remove(_ descriptor: Int32) { _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, descriptor, nil) }

  /// Sets whether to watch for writability as well. If the descriptor is writable now, this immediately causes an event.
  package func setWriting(_ writing: Bool, for descriptor: Int32, _ trigger: Trigger = .edge) {
    _ = clinux_poller_set_writing(epoll.raw, descriptor, trigger == .edge, writing)
  }

  /// Waits for events, which replace those in `events`.
  ///
  /// - Parameter milliseconds: 0: does not wait; -1: no timeout.
  @inlinable
  package func wait(_ events: inout PollerEvents, milliseconds: Int32) {
    let count = clinux_poller_wait(epoll.raw, events.base, events.capacity, milliseconds)
    events.count = max(0, Int(count))
  }
}
