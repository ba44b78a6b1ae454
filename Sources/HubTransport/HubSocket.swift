// A connected socket of a hub: connecting, and waiting for it. It does not handle frames or move bytes.

package import HubCore
package import HubSystem

package struct HubSocket: ~Copyable, Sendable {
  package let descriptor: Descriptor

  /// A forked child has no part in the connection: what depends on it ends with this process.
  private init(_ descriptor: consuming Descriptor) {
    Fork.detachInChild(descriptor)
    self.descriptor = descriptor
  }

  deinit { Fork.forget(descriptor) }

  /// Connects to the hub at `path`.
  ///
  /// - Parameter deadline: how long to wait for a hub that is listening but does not accept; nil to not wait.
  /// - Throws: `HubError`: `noHub`, `denied`, `timeout`.
  package static func connect(to path: String, deadline: Deadline?) throws(HubError) -> HubSocket {
    if let problem = problem(with: path) { throw problem }
    let socket = try SystemError.attempt(Socket.stream()) {
      HubError(.noHub, "cannot open a socket: \($0)\(hint(for: $0))")
    }
    while true {
      guard let problem = Socket.connect(socket, to: path, try patience(until: deadline, path)) else { break }
      if problem != .interrupted { throw error(problem, path) }
    }
    return HubSocket(socket)
  }

  /// Why there can never be a hub at `path`; nil if there can.
  package static func problem(with path: String) -> HubError? {
    SocketPath.problem(with: path).map { HubError(.noHub, $0) }
  }

  /// In a forked child, what its parent has made cannot be used.
  package static func belongsToParent(_ what: String) -> HubError {
    HubError(.closed, "\(what) belongs to the process that forked this one: create another in this process")
  }

  /// What to do about it.
  package static func hint(for error: SystemError) -> String {
    error == .tooManyOpenFiles ? "; raise `ulimit -n`" : ""
  }

  private static func patience(
    until deadline: Deadline?, _ path: String
  ) throws(HubError) -> Socket.Patience {
    guard let deadline else { return .none }
    if deadline == .never { return .endless }
    let now = Deadline.now
    guard deadline > now else { throw error(.wouldBlock, path) }
    return .limited(deadline.nanoseconds - now.nanoseconds)
  }

  /// Why there is no connection to the hub at `path`, and what to do about it.
  package static func error(_ problem: SystemError, _ path: String) -> HubError {
    switch problem {
    case .noSuchFile, .connectionRefused: HubError(.noHub, SocketPath.absence(at: path))
    case .notADirectory:
      HubError(.noHub, "no hub can listen at \(path): a part of the path is not a directory")
    case .accessDenied, .notPermitted:
      HubError(.denied, "not permitted to connect to \(path): check the mode and group of the socket")
    case .wouldBlock: HubError(.timeout, "the hub at \(path) did not accept the connection in time")
    default: HubError(.noHub, "cannot connect to \(path): \(problem)")
    }
  }

  /// Waits until bytes can be read, or also written if `writable`.
  ///
  /// - Returns: false once `deadline` has passed.
  func wait(writable: Bool, until deadline: Deadline) -> Bool {
    let purpose: Poll.Purpose = writable ? .readingOrWriting : .reading
    while true {
      if Poll.wait(for: purpose, on: descriptor.raw, milliseconds: deadline.pollTimeout()) { return true }
      if deadline <= .now { return false }
    }
  }
}
