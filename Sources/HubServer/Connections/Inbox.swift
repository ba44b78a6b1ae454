// The one buffer that all sessions' bytes are read into. What is not used up in the same step must be copied.

import CLinux
import HubCore

struct Inbox: ~Copyable {
  static let capacity = 64 << 10

  private let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)

  deinit { base.deallocate() }

  /// Reads the available bytes, up to the capacity.
  ///
  /// - Parameter isCut: set if there may be more although there was room.
  /// - Returns: as `recv`.
  @inline(__always)
  func receive(from descriptor: Int32, isCut: inout Bool) -> Int {
    clinux_receive(descriptor, base, Inbox.capacity, &isCut)
  }

  /// Reads and discards the available bytes.
  func discard(from descriptor: Int32) {
    var isCut = false
    while receive(from: descriptor, isCut: &isCut) > 0 {}
  }

  /// The first bytes of the last read.
  @inline(__always)
  func view(_ count: Int) -> ByteView {
    precondition(count <= Inbox.capacity)
    return ByteView(base: UnsafeRawPointer(base), count: count)
  }
}
