// The events of one wait, in memory that is used again for the next.

public import CLinux

@usableFromInline package struct PollerEvents: ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<epoll_event>
  @usableFromInline let capacity: Int32
  @usableFromInline package var count = 0

  /// - Parameter capacity: the most events of one wait; others follow with the next.
  package init(capacity: Int) {
    base = .allocate(capacity: capacity)
    self.capacity = Int32(capacity)
  }

  deinit { base.deallocate() }

  @inlinable
  package subscript(index: Int) -> PollerEvent {
    precondition(index >= 0 && index < count)
    return PollerEvent(
      descriptor: clinux_event_descriptor(base + index), flags: clinux_event_flags(base + index))
  }
}

/// What happened to a descriptor.
@usableFromInline package struct PollerEvent {
  @usableFromInline package let descriptor: Int32
  @usableFromInline let flags: UInt32

  @usableFromInline
  init(descriptor: Int32, flags: UInt32) {
    self.descriptor = descriptor
    self.flags = flags
  }

  /// It can be read, or a read will report that it has ended.
  @inlinable package var isReadable: Bool { clinux_is_readable(flags) }
  /// Its input ends, permanently or at urgent data.
  @inlinable package var endsReads: Bool { clinux_ends_reads(flags) }
  /// It can be written, or a write will report that it has ended.
  @inlinable package var isWritable: Bool { clinux_is_writable(flags) }
}
