// Listening Unix sockets: binding them to a path, accepting, and what a passed descriptor is.

internal import CLinux
internal import Glibc

extension Socket {
  /// A stream socket that is bound to `path` with this mode, whatever the process's mask is, which other threads may
  /// need in the meantime. It does not listen yet, so no client can connect before the mode is right.
  package static func bound(to path: String, mode: UInt32) throws(SystemError) -> Descriptor {
    let socket = try Descriptor(returned: clinux_unix_stream_nonblocking())
    let raw = socket.raw
    // The file gets the socket's mode, less the mask.
    if fchmod(raw, mode) != 0 { throw .last }
    var bytes = path
    if bytes.withUTF8({ clinux_bind_unix(raw, $0.baseAddress, $0.count) }) != 0 { throw .last }
    if chmod(path, mode) != 0 {
      let problem = SystemError.last
      File.remove(path)
      throw problem
    }
    return socket
  }

  /// - Parameter backlog: how many clients may wait to be accepted.
  package static func listen(_ socket: borrowing Descriptor, backlog: Int32) -> SystemError? {
    Glibc.listen(socket.raw, backlog) == 0 ? nil : .last
  }

  /// The result of accepting.
  package enum Acceptance {
    /// A connection that never waits, and lives on across exec.
    case accepted(Int32)
    /// No client is waiting.
    case nobody
    /// The connection was lost before it was accepted.
    case lost
    /// There is no descriptor left for it.
    case noDescriptor(SystemError)
    case failed(SystemError)
  }

  package static func accept(from listener: Int32) -> Acceptance {
    let descriptor = clinux_accept(listener)
    if descriptor >= 0 { return .accepted(descriptor) }
    switch errno {
    case EAGAIN: return .nobody
    case EINTR, ECONNABORTED, EPERM: return .lost
    case EMFILE, ENFILE: return .noDescriptor(.last)
    default: return .failed(.last)
    }
  }

  /// Whether a descriptor is a Unix stream socket that listens.
  ///
  /// - Throws: why its state is unknown.
  package static func isListening(_ descriptor: Int32) throws(SystemError) -> Bool {
    let found = clinux_is_listening_unix_stream(descriptor)
    if found < 0 { throw .last }
    return found == 1
  }

  /// The path that a Unix socket is bound to; empty if there is none.
  package static func path(of descriptor: Int32) -> String {
    String(unsafeUninitializedCapacity: maximumPathLength + 1) { room in
      room.withMemoryRebound(to: CChar.self) { clinux_bound_path(descriptor, $0.baseAddress!) }
    }
  }
}
