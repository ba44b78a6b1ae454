// A connected Unix socket: connecting, and moving bytes without blocking. It knows no frames and never waits,
// except in a blocking connect.

internal import CLinux
internal import Glibc
package import HubCore

package struct HubSocket: ~Copyable, Sendable {
  package let descriptor: OwnedDescriptor

  /// What came of a read or a write.
  package enum Transfer {
    case bytes(Int)
    case wouldBlock
    /// The other side has closed, or the connection broke.
    case ended
  }

  /// Connects to the hub at `path`.
  ///
  /// - Parameter deadline: how long to wait for a hub that is there but does not accept; nil: not at all.
  /// - Throws: `HubError`: `noHub`, `denied`, `timeout`.
  package static func connect(to path: String, deadline: Deadline?) throws(HubError) -> HubSocket {
    let raw = clinux_unix_stream()
    guard raw >= 0 else {
      let hint = errno == EMFILE ? "; raise `ulimit -n`" : ""
      throw HubError(.noHub, "cannot open a socket: \(String(cString: strerror(errno)))\(hint)")
    }
    let descriptor = OwnedDescriptor(raw)
    var path = path
    while true {
      if let deadline {
        try limitConnect(of: raw, to: deadline, path)
      } else {
        _ = fcntl(raw, F_SETFL, O_NONBLOCK)
      }
      let result = path.withUTF8 { clinux_connect_unix(raw, $0.baseAddress, $0.count) }
      if result == 0 { return HubSocket(descriptor: descriptor) }
      if errno != EINTR { throw error(errno, path) }
    }
  }

  /// A blocking connect to a Unix socket waits as long as the socket's time-out for sending says.
  private static func limitConnect(of raw: Int32, to deadline: Deadline, _ path: String) throws(HubError) {
    guard deadline != .never else { return }
    let now = Deadline.now
    guard deadline > now else { throw error(EAGAIN, path) }
    let left = deadline.nanoseconds - now.nanoseconds
    var limit = timeval(tv_sec: Int(left / 1_000_000_000), tv_usec: max(1, Int(left % 1_000_000_000 / 1000)))
    setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func error(_ number: Int32, _ path: String) -> HubError {
    switch number {
    case ENOENT, ECONNREFUSED: HubError(.noHub, SocketPath.absence(at: path))
    case ENOTDIR: HubError(.noHub, "no hub can listen at \(path): a part of the path is no directory")
    case EACCES, EPERM:
      HubError(.denied, "no right to connect to \(path): look at the mode and group of the socket")
    case EAGAIN: HubError(.timeout, "the hub at \(path) did not accept the connection in time")
    case ENAMETOOLONG: HubError(.noHub, SocketPath.problem(with: path) ?? "\(path) is too long")
    default: HubError(.noHub, "cannot connect to \(path): \(String(cString: strerror(number)))")
    }
  }

  /// Sends from the front of `bytes` what the socket takes.
  package static func send(_ bytes: ByteView, to descriptor: Int32) -> Transfer {
    transfer { Glibc.send(descriptor, bytes.base, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
  }

  /// Reads what has arrived, at most as much as `room` has space for.
  package static func receive(from descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Transfer {
    transfer { recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) }
  }

  private static func transfer(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .ended
      }
    }
  }

  /// Waits until bytes can be read, or also written if `writable`.
  ///
  /// - Returns: false once `deadline` has passed.
  func wait(writable: Bool, until deadline: Deadline) -> Bool {
    var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN | (writable ? POLLOUT : 0)), revents: 0)
    while true {
      let result = poll(&entry, 1, deadline.pollTimeout())
      if result > 0 { return true }
      if deadline <= .now { return false }
    }
  }
}
