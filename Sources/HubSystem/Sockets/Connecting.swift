// Connecting to Unix sockets.

internal import CLinux
internal import Glibc

extension Socket {
  /// How long a connect may take.
  package enum Patience {
    /// As long as the other side needs.
    case endless
    /// Not at all: it is connected or not, and no later call on the socket waits.
    case none
    /// For that many nanoseconds.
    case limited(UInt64)
  }

  /// A Unix stream socket that is not connected, closed on exec.
  package static func stream() throws(SystemError) -> Descriptor {
    try Descriptor(returned: clinux_unix_stream())
  }

  /// Connects the socket to the one that listens at `path`.
  ///
  /// - Returns: why it failed: `wouldBlock` if the listener is busy, `nameTooLong` for a path that no socket can have,
  ///   `interrupted` by a signal.
  package static func connect(
    _ socket: borrowing Descriptor, to path: String, _ patience: Patience
  ) -> SystemError? {
    switch patience {
    case .endless: break
    case .none: Descriptor.setNonblocking(socket.raw)
    case .limited(let nanoseconds):
      // A blocking connect to a Unix socket waits as long as the socket's send time-out.
      var limit = timeval(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_usec: max(1, Int(nanoseconds % 1_000_000_000 / 1000)))
      setsockopt(socket.raw, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var path = path
    let raw = socket.raw
    return path.withUTF8 { clinux_connect_unix(raw, $0.baseAddress, $0.count) } == 0 ? nil : .last
  }

  /// A datagram socket that sends to `name`: a path, or with a leading `@` an abstract name.
  package static func datagrams(to name: String) throws(SystemError) -> Descriptor {
    var name = name
    return try Descriptor(returned: name.withUTF8 { clinux_datagrams_to($0.baseAddress, $0.count) })
  }
}
