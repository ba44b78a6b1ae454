// The socket on which the service manager listens to this process. It sends what it is given, and keeps nothing.

import CLinux
import Glibc

/// The link to the service manager. Without one, messages are dropped.
struct Notifier: ~Copyable {
  private let socket: Descriptor?
  /// Why messages cannot be sent, although an address was given.
  let problem: String?

  /// - Parameter address: `ServiceEnvironment.notifySocket`.
  init(to address: String?) {
    guard var name = address else {
      socket = nil
      problem = nil
      return
    }
    let raw = name.withUTF8 { clinux_datagrams_to($0.baseAddress, $0.count) }
    do throws(ServerError) {
      socket = try Descriptor(raw, from: "connect")
      problem = nil
    } catch {
      socket = nil
      problem = "the service manager cannot be told anything at \(name): \(error)"
    }
  }

  /// Whether there is a service manager to send to.
  var isConnected: Bool { socket != nil }

  /// Sends one datagram. It waits for a busy service manager, which reads these before anything else.
  ///
  /// - Parameter descriptors: at most 253, which the service manager gets copies of.
  /// - Returns: false if it was not sent.
  @discardableResult
  borrowing func send(_ messages: [ServiceMessage], descriptors: [Int32] = []) -> Bool {
    guard socket != nil else { return false }
    var text = ServiceMessage.datagram(messages)
    return text.withUTF8 { bytes in
      while true {
        let sent = clinux_send_descriptors(
          raw, bytes.baseAddress, bytes.count, descriptors, descriptors.count, 0)
        if sent >= 0 { return true }
        if errno != EINTR { return false }
      }
    }
  }

  private var raw: Int32 {
    switch socket {
    case .some(let descriptor): descriptor.raw
    case .none: -1
    }
  }

  /// Waits until the service manager has processed everything that was sent.
  ///
  /// - Returns: false if it has not within `milliseconds`.
  borrowing func synchronize(milliseconds: Int32) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard isConnected, pipe(&ends) == 0 else { return false }
    defer { close(ends[0]) }
    let isSent = send([.barrier], descriptors: [ends[1]])
    close(ends[1])
    var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    // The end of the pipe is the answer: nothing is ever written to it.
    return isSent && poll(&waiting, 1, milliseconds) == 1
  }
}
