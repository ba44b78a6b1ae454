// Owns which limits were met in a turn, and by which users, until the engine's owner has logged them.

package import HubCore

/// A request was refused with `quota`.
package struct MetLimit: Sendable {
  package var peer: Peer
  /// Which limit, its use, and what raises it.
  package var message: String
}

extension HubEngine {
  /// The most that one turn remembers: one for each user and message.
  private static let mostMetLimits = 8

  @inline(never)
  mutating func noteMetLimit(_ error: HubError, of session: SessionID) {
    let peer = feed.sessions.peer(of: session)
    guard metLimits.count < HubEngine.mostMetLimits,
      !metLimits.contains(where: { $0.peer.uid == peer.uid && $0.message == error.message })
    else { return }
    metLimits.append(MetLimit(peer: peer, message: error.message))
  }

  /// The limits that were met since the last call.
  package mutating func takeMetLimits() -> [MetLimit] {
    defer { metLimits = [] }
    return metLimits
  }
}
