// The socket on which the service manager listens to this process. It sends what it is given, and keeps nothing.

import CLinux
import Glibc

/// The way to the service manager. Without one, what is sent goes nowhere.
struct Notifier: ~Copyable {
  private let socket: Descriptor?
  /// Why nobody can be told anything, although an address was given.
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

  /// Somebody listens.
  var isConnected: Bool { socket != nil }

  /// Sends one datagram. A service manager that is busy is waited for: it reads these before all else.
  ///
  /// - Parameter descriptors: at most 253, of which the service manager gets its own.
  /// - Returns: false if it was not taken.
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

  /// Waits until the service manager has taken in everything that was sent.
  ///
  /// - Returns: false if it has not within `milliseconds`.
  borrowing func synchronize(milliseconds: Int32) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard isConnected, pipe(&ends) == 0 else { return false }
    defer { close(ends[0]) }
    let isSent = send([.barrier], descriptors: [ends[1]])
    close(ends[1])
    var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    // The end of the pipe is the answer: nobody ever writes to it.
    return isSent && poll(&waiting, 1, milliseconds) == 1
  }
}
