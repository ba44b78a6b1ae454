// One poll for everything that a watch waits for.

internal import HubCore
internal import HubSystem
internal import HubTransport

enum Waiting {
  /// Waits until the hub or a child has something, or `deadline` has passed. Negative descriptors are ignored.
  ///
  /// - Returns: whether the child has.
  /// - Throws: `outputClosed` if the output's reader is gone.
  @discardableResult
  static func poll(
    hub: Int32 = -1, child: Int32 = -1, output: Int32, until deadline: Deadline
  ) throws(Failure) -> Bool {
    let (_, end, reader) = Poll.wait(
      (hub, .reading), (child, .reading), (output, .closing), milliseconds: deadline.pollTimeout())
    if reader.isClosed { throw .outputClosed }
    return end.isReady
  }

  /// The same for a program that prints nothing and passes signals on.
  ///
  /// - Returns: whether the child has ended.
  static func poll(hub: Int32, child: Int32, signals: Int32, until deadline: Deadline) -> Bool {
    let (_, end, _) = Poll.wait(
      (hub, .reading), (child, .reading), (signals, .reading), milliseconds: deadline.pollTimeout())
    return end.isReady
  }
}

extension SignalDescriptor {
  /// The signals that ask a program to end, and others, unless they are ignored.
  static func ending(_ others: Signal...) throws(Failure) -> SignalDescriptor {
    let signals = [.hangUp, .interrupt, .quit, .terminate] + others
    return try SystemError.attempt(try SignalDescriptor(unlessIgnored: signals)) {
      Failure.system("cannot wait for signals", $0)
    }
  }

  /// - Throws: `status` if a signal has arrived.
  func check() throws(Failure) {
    if let signal = next() { throw .status(128 + signal.number) }
  }
}
