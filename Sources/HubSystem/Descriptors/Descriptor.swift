// One descriptor with one owner: it is closed exactly once, with its owner.

internal import CLinux
internal import Glibc

@usableFromInline package struct Descriptor: ~Copyable, Sendable {
  @usableFromInline package let raw: Int32

  /// Owns a descriptor that is known to be open.
  package init(adopting raw: Int32) {
    precondition(raw >= 0)
    self.raw = raw
  }

  /// Owns what a system call returned, or throws why it returned nothing.
  init(returned raw: Int32) throws(SystemError) {
    if raw < 0 { throw .last }
    self.raw = raw
  }

  deinit { Descriptor.close(raw) }

  /// Sets whether a program executed in this process keeps it, under the same number.
  package func setSurvivesExecution(_ survives: Bool) { Descriptor.setSurvivesExecution(survives, of: raw) }

  /// Gives up the ownership: the caller closes it.
  package consuming func release() -> Int32 {
    let raw = raw
    discard self
    return raw
  }
}

// Descriptors owned by a table that is indexed by their numbers.
extension Descriptor {
  package static func close(_ raw: Int32) { Glibc.close(raw) }

  /// Closes every descriptor from `first` on.
  package static func closeAll(from first: Int32) { clinux_close_from(first) }

  package static func isOpen(_ raw: Int32) -> Bool { fcntl(raw, F_GETFD) >= 0 }

  package static func setSurvivesExecution(_ survives: Bool, of raw: Int32) {
    _ = fcntl(raw, F_SETFD, survives ? 0 : FD_CLOEXEC)
  }

  /// Sets that no read and no write waits.
  package static func setNonblocking(_ raw: Int32) {
    _ = fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK)
  }

  /// Sets that reads and writes wait, for every process that shares the open file.
  package static func setWaiting(_ raw: Int32) {
    let flags = fcntl(raw, F_GETFL)
    if flags >= 0, flags & O_NONBLOCK != 0 { _ = fcntl(raw, F_SETFL, flags & ~O_NONBLOCK) }
  }

  /// Whether it was opened for reading alone.
  package static func isReadOnly(_ raw: Int32) -> Bool { fcntl(raw, F_GETFL) & O_ACCMODE == O_RDONLY }

  /// Another descriptor of the same file, closed on exec.
  ///
  /// - Parameter least: the new one's number is at least this.
  package static func duplicate(_ raw: Int32, from least: Int32 = 0) throws(SystemError) -> Descriptor {
    try Descriptor(returned: fcntl(raw, F_DUPFD_CLOEXEC, least))
  }

  /// Gives it another number, which must be free.
  package static func move(_ raw: Int32, to number: Int32) {
    dup2(raw, number)
    Glibc.close(raw)
  }
}
