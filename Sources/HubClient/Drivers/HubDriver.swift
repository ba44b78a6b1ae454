// Provides bytes and time to a client's core. It does not manage requests or watches. `EndedDriver` has no connection.

internal import HubCore
package import HubTransport
internal import Synchronization

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

final class EndedDriver: HubDriver {
  /// The driver of every Hub that a forked child inherits from its parent.
  static let ofParent = EndedDriver(HubSocket.belongsToParent("this Hub"))

  private let core: Mutex<ClientCore>

  init(_ end: HubError) { core = Mutex(ClientCore(name: "", seed: 0, end: end)) }

  var now: Deadline { .now }

  func withCore<R: Sendable>(_ body: @Sendable (inout ClientCore, inout Effects) -> R) -> R {
    var effects = Effects()
    let result = core.withLock { body(&$0, &effects) }
    effects.run()
    return result
  }

  func sibling() -> any HubDriver { self }

  func close() {}
}
