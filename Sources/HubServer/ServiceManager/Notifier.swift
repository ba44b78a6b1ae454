// The socket on which the service manager listens to this process. It sends what it is given, and keeps nothing.

import HubSystem

/// The link to the service manager. Without one, messages are dropped.
struct Notifier: ~Copyable {
  private let socket: Descriptor?
  /// Why messages cannot be sent, although an address was given.
  let problem: String?
  /// Its address is an abstract name.
  let isAbstract: Bool

  /// - Parameter address: `ServiceEnvironment.notifySocket`.
  init(to address: String?) {
    isAbstract = address?.first == "@"
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
      problem = "cannot notify the service manager at \(name): \(error)"
    }
  }

  /// Whether there is a service manager to send to.
  var isConnected: Bool { socket != nil }

  /// Sends one datagram.
  ///
  /// - Parameters:
  ///   - descriptors: at most 253, which the service manager gets copies of.
  ///   - milliseconds: how long to wait for a service manager that does not read.
  /// - Returns: nil if it was sent; `wouldBlock` if the service manager did not read in time.
  @discardableResult
  borrowing func send(
    _ messages: [ServiceMessage], descriptors: [Int32] = [], within milliseconds: Int32 = 0
  ) -> SystemError? {
    guard isConnected else { return .badDescriptor }
    var text = ServiceMessage.datagram(messages)
    let deadline = SystemClock.boot + UInt64(milliseconds) * 1_000_000
    while true {
      let problem = text.withUTF8 {
        DescriptorPassing.send(UnsafeRawBufferPointer($0), descriptors, over: raw)
      }
      guard problem == .wouldBlock else { return problem }
      let now = SystemClock.boot
      guard now < deadline else { return problem }
      // Other processes may be faster than this one once there is room.
      Poll.wait(for: .writing, on: raw, milliseconds: Int32((deadline - now) / 1_000_000) + 1)
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
    let problem = send([.barrier], descriptors: [pipe.writingEnd], within: milliseconds)
    pipe.closeWriting()
    // The closing of the pipe is the answer: nothing is ever written to it.
    return problem == nil && Poll.wait(for: .reading, on: pipe.reading.raw, milliseconds: milliseconds)
  }
}
