// The one buffer that all sessions' bytes are read into. Bytes that are not consumed in the same step must be copied.

import HubCore
import HubSystem

struct Inbox: ~Copyable {
  static let capacity = 64 << 10

  private let base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)

  deinit { base.deallocate() }

  /// Reads the available bytes, up to the capacity.
  ///
  /// - Parameter isCut: as for `Socket.receive`.
  @inline(__always)
  func receive(from descriptor: Int32, isCut: inout Bool) -> Transfer {
    let room = UnsafeMutableRawBufferPointer(start: base, count: Inbox.capacity)
    return Socket.receive(from: descriptor, into: room, isCut: &isCut)
  }

  /// Reads and discards the available bytes.
  func discard(from descriptor: Int32) {
    var isCut = false
    while case .bytes = receive(from: descriptor, isCut: &isCut) {}
  }

  /// The first bytes of the last read.
  @inline(__always)
  func view(_ count: Int) -> ByteView {
    precondition(count <= Inbox.capacity)
    return ByteView(base: UnsafeRawPointer(base), count: count)
  }
}
