// A driver without a connection: every request fails at once, with the same error.

internal import HubCore
internal import HubTransport
internal import Synchronization

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
