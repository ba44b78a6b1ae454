// Provides bytes and time to a client's core. It does not manage requests or watches.

package import HubTransport

package protocol HubDriver: AnyObject, Sendable {
  /// Now, on this driver's clock.
  var now: Deadline { get }

  /// Gives the core to `body`, which must be short and must not call user code; then sends what it wrote and wakes the
  /// waiters.
  func withCore<R: Sendable>(_ body: @Sendable (inout ClientCore, inout Effects) -> R) -> R

  /// The hub is in this process, and acts only when it is called.
  var isInProcess: Bool { get }

  /// A driver of another connection to the same hub.
  func sibling() -> any HubDriver

  /// Fails every request, ends every stream, and closes the connection.
  func close()
}

extension HubDriver {
  package var isInProcess: Bool { false }
}
