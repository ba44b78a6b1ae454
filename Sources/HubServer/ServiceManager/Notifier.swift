// The socket on which the service manager listens to this process. It sends what it is given, and keeps nothing.

import HubSystem

/// The link to the service manager. Without one, messages are dropped.
struct Notifier: ~Copyable {
  private let socket: Descriptor?
  /// Why messages cannot be sent, although an address was given.
  let problem: String?

  /// - Parameter address: `ServiceEnvironment.notifySocket`.
  init(to address: String?) {
    guard let name = address else {
      socket = nil
      problem = nil
      return
    }
    do throws(ServerError) {
      socket = try ServerError.attempt("connect", Socket.datagrams(to: name))
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
      DescriptorPassing.send(UnsafeRawBufferPointer(bytes), descriptors, over: raw, waits: true) == nil
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
    guard isConnected, var pipe = try? Pipe() else { return false }
    let isSent = send([.barrier], descriptors: [pipe.writingEnd])
    pipe.closeWriting()
    // The end of the pipe is the answer: nothing is ever written to it.
    return isSent && Poll.wait(for: .reading, on: pipe.reading.raw, milliseconds: milliseconds)
  }
}
