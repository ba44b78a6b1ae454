// Moving bytes over connected sockets, and the ends of connections. No call waits.

public import CLinux
internal import Glibc

/// Sockets by their numbers: their owner is a `Descriptor`, or a table of connections.
@usableFromInline package enum Socket {
  /// How many bytes the path of a Unix socket may have.
  package static let maximumPathLength = 107

  /// Sends from the front of `bytes` what the socket takes.
  @inlinable @inline(__always)
  package static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Transfer {
    let count = clinux_send(descriptor, bytes.baseAddress, bytes.count)
    return count > 0 ? .bytes(count) : .none(count)
  }

  /// Sends bytes that the socket nearly always takes as a whole.
  ///
  /// - Returns: nil if it has; otherwise the result.
  @inlinable @inline(__always)
  package static func sendWhole(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Transfer? {
    let count = clinux_send(descriptor, bytes.baseAddress, bytes.count)
    if count == bytes.count { return nil }
    return count > 0 ? .bytes(count) : .none(count)
  }

  /// Reads what has arrived, at most as much as `room` has space for.
  @inlinable @inline(__always)
  package static func receive(
    from descriptor: Int32, into room: UnsafeMutableRawBufferPointer
  ) -> Transfer {
    let count = clinux_receive_plain(descriptor, room.baseAddress, room.count)
    return count > 0 ? .bytes(count) : .none(count)
  }

  /// The same, and closes descriptors that came with the bytes.
  ///
  /// - Parameter isCut: set if there may be more although there was room.
  @inlinable @inline(__always)
  package static func receive(
    from descriptor: Int32, into room: UnsafeMutableRawBufferPointer, isCut: inout Bool
  ) -> Transfer {
    let count = clinux_receive(descriptor, room.baseAddress, room.count, &isCut)
    return count > 0 ? .bytes(count) : .none(count)
  }

  /// Sets how much the kernel keeps of what the peer has not read before sends take nothing: twice `bytes` with the kernel's own
  /// overhead, and at most one message more.
  package static func setSendBuffer(_ bytes: Int, of descriptor: Int32) {
    var bytes = Int32(bytes)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// How much the kernel keeps, its overhead included; 0 if that is unknown.
  package static func sendBuffer(of descriptor: Int32) -> Int {
    var (bytes, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, &length) == 0 ? Int(bytes) : 0
  }

  /// Nothing more is sent: the other side's reads end.
  package static func endSending(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Nothing more is sent or received.
  package static func end(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Two connected sockets, closed on exec.
  ///
  /// - Parameter keepsMessages: each send is one message, and not a part of a stream.
  package static func pair(keepsMessages: Bool = false) throws(SystemError) -> (Int32, Int32) {
    var ends: (Int32, Int32) = (-1, -1)
    if clinux_socket_pair(&ends.0, &ends.1, keepsMessages) != 0 { throw .last }
    return ends
  }
}
