// One poll for everything that a watch waits for.

internal import HubCore
internal import HubSystem
internal import HubTransport

enum Waiting {
  /// What has arrived.
  struct Result {
    var isOutputClosed = false
    var hasChildEnded = false
  }

  /// Waits until the hub or a child has something, the output's reader is gone, or `deadline` has passed. Negative
  /// descriptors are ignored.
  static func poll(hub: Int32, child: Int32, output: Int32, until deadline: Deadline) -> Result {
    let (_, end, reader) = Poll.wait(
      (hub, .reading), (child, .reading), (output, .closing), milliseconds: deadline.pollTimeout())
    return Result(isOutputClosed: reader.isClosed, hasChildEnded: end.isReady)
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
