// Applies other options to a running engine. Nothing is dropped, except what no longer fits.

package import HubCore

extension HubEngine {
  /// Applies options, between two turns. A change log of another size begins empty: sessions that are behind get
  /// current values. Kept history of another size begins empty.
  ///
  /// The greatest length of frames, the default durability and whether there is a journal must be as before.
  ///
  /// - Parameters:
  ///   - groups: the supplementary groups of a session's peer.
  ///   - origins: a session's unit and app, if the rules need them and they are not known yet.
  package mutating func apply(
    _ wanted: Options, groups: (SessionID) -> [UInt32],
    origins: (SessionID) -> PeerOrigin = { _ in PeerOrigin() }
  ) {
    precondition(isBetweenTurns, "options change between two turns")
    history.resize(changeLogBytes: wanted.changeLogBytes, historyBytes: wanted.historyBytes)
    stores.accounts.changeLimits(to: MemoryLimits(wanted))
    options = wanted
    noteObservers()
    setAccess(wanted.access, groups: groups, origins: origins)
  }
}
