// A watch's replica of its stores: frames in, named events out. It decides what is new and what was skipped; it neither
// sends nor waits.

/// What one watch has seen: its stores' values, and how far it got. It outlives a connection: on the next one the watch is
/// opened with `bookmark`, and the view continues where it was.
///
/// Guarantees, if it gets every event of its watch in order: a change comes out at most once, and never after a later one
/// of the same store; `skipped` is exact within an epoch.
///
/// It has a field for each question about an event: whether it is new, complete, skipped, or the last of its batch.
package struct WatchView: Sendable {
  private struct Known {
    var name: String
    var state: StoreState

    /// Takes a newer state in place, so a store and its name are not copied for each change.
    ///
    /// - Returns: the name and the previous version; nil if the state is not newer.
    mutating func take(_ newer: StoreState) -> (name: String, last: UInt64)? {
      let last = state.version
      guard newer.version > last else { return nil }
      state = newer
      return (name, last)
    }

    /// Applies the hub's report on a deadline to the known state.
    ///
    /// - Returns: whether that is news.
    mutating func take(_ silence: Silence?, of version: UInt64) -> Bool {
      guard let silence, version == state.version, (silence == .begun) != (state.silence == .begun) else {
        return false
      }
      state.silence = silence
      return true
    }
  }

  /// How to interpret the stores of a full snapshot, from the events before it.
  private enum Lineage {
    /// Nothing was shown before.
    case fresh
    /// These versions were shown, in the same epoch.
    case sameEpoch([StoreID: UInt64])
    case otherEpoch
  }

  private enum Phase {
    /// A full snapshot is being received.
    case introducing(Lineage)
    /// Every event is a change to what is known.
    case following
  }

  /// Whether the state received so far existed in the hub.
  private enum Wholeness {
    /// Not until the next `synced`.
    case unknown
    case whole
    /// Not until the transaction's last part.
    case withinGroup
  }

  /// The epoch of everything that the view holds; nil before the first connection.
  package private(set) var epoch: Epoch?
  /// Where the hub should continue when the watch is opened on another connection; nil before the first `synced`.
  package private(set) var bookmark: Bookmark?
  /// Whether the whole state has been received on this connection.
  package private(set) var isSynced = false
  /// The revision of the last `synced`.
  private var syncedAt: Revision = 0
  /// Whether a store's event came after the last `synced`; with several stores, the view may then be within a batch.
  private var isWithinBatch = false
  /// The last store's event was the last change of its revision.
  private var isSettled = false
  /// The highest revision seen.
  private var revision: Revision = 0

  private var phase = Phase.introducing(.fresh)
  private var isIntroducing: Bool { if case .introducing = phase { true } else { false } }
  /// The hub sends every change, so each of them leads to a state that existed.
  private var sendsEvery = false
  private var wholeness = Wholeness.unknown
  /// By the raw number, which is hashed in a third of the time.
  private var stores: [UInt64: Known] = [:]
  private var ids: [String: StoreID] = [:]
  private var absences = Absences()
  /// A store was shown since the beginning, or since the last `reset`.
  private var hasShown = false

  /// A view that has seen nothing.
  package init() {}

  // MARK: Reading

  /// How many stores the view has seen and still has.
  package var count: Int { stores.count }

  /// The store with that name, as last seen.
  package func state(of name: String) -> StoreState? { ids[name].flatMap { stores[$0.raw]?.state } }

  /// The store with that number, as last seen.
  package func state(of id: StoreID) -> StoreState? { stores[id.raw]?.state }

  /// The only store of the watch, as last seen.
  package var onlyState: StoreState? { stores.isEmpty ? nil : stores.values.first?.state }

  package var storeIDs: some Sequence<StoreID> { stores.keys.lazy.map { StoreID(raw: $0) } }

  /// The hub's revision with the view's current state; nil if the view may be within a batch.
  ///
  /// - Parameters:
  ///   - isSingle: one store is watched: its changes are states that existed.
  ///   - synced: everything up to here was received.
  package func whole(isSingle: Bool, synced: Revision = 0) -> Revision? {
    guard isSynced else { return nil }
    if !isWithinBatch { return max(syncedAt, synced) }
    return isSingle && isSettled ? revision : nil
  }

  /// What is known, as the events that would show it to a new reader, in the order of the last changes.
  package func introduction() -> [StoreEvent] {
    guard let epoch else { return [] }
    let known = stores.values.sorted { $0.state.revision < $1.state.revision }
    return known.map { event(.initial, $0.name, $0.state, skipped: 0, epoch) }
  }

  // MARK: Following

  /// Records that the watch was opened on a new connection to a hub with that epoch, with `bookmark` if there is one.
  ///
  /// - Parameter every: the hub was asked for every change.
  /// - Returns: `reset` if the hub will show everything again.
  package mutating func open(epoch: Epoch, every: Bool = false) -> StoreEvent? {
    isSynced = false
    reopen(every: every)
    if bookmark != nil { return nil }
    if hasShown { return forget(epoch, 0) }
    absences = Absences()
    revision = 0
    self.epoch = epoch
    return nil
  }

  /// The watch was reopened on the same connection, from its current position.
  package mutating func reopen(every: Bool) {
    sendsEvery = every
    wholeness = .unknown
  }

  /// The connection was lost, or its other traffic shows more than this view's own events: the hub, which sends a
  /// connection's events in the order of revisions, has sent everything up to `revision`.
  package mutating func advance(to revision: Revision) {
    guard isSynced, let epoch, let last = bookmark?.revision, revision > last else { return }
    bookmark = Bookmark(epoch: epoch, revision: revision)
    absences.advance(to: revision)
  }

  /// Applies the next frame.
  ///
  /// - Returns: what is new about it.
  package mutating func apply(_ event: HubEvent) -> StoreEvent? {
    switch event {
    case .change(let state, _, let more):
      follow(more)
      return see(state, nil)
    case .created(let name, _, let state, _, let more, _):
      follow(more)
      return see(state, name)
    case .removed(let name, let removal, _, let more):
      follow(more)
      return remove(name, removal)
    case .current(let name, let state):
      wholeness = .unknown
      isSettled = false
      return see(state, name)
    case .synced(let revision): return sync(revision)
    case .resumed(let revision):
      guard let epoch else { return nil }
      return StoreEvent(.resumed, revision: revision, epoch: epoch)
    case .forget(let epoch, let revision): return forget(epoch, revision)
    case .ended, .forward, .withdraw, .ask: return nil
    }
  }

  /// Applies a change that indicates whether more of the same transaction follow.
  private mutating func follow(_ more: Bool) {
    if wholeness != .unknown { wholeness = more ? .withinGroup : .whole }
    isSettled = !more
  }

  private mutating func see(_ state: StoreState, _ name: String?) -> StoreEvent? {
    guard let epoch else { return nil }
    note(state.revision)
    if let index = stores.index(forKey: state.id.raw) {
      guard let (name, last) = stores.values[index].take(state) else {
        guard stores.values[index].take(state.silence, of: state.version) else { return nil }
        return news(.changed, stores.values[index].name, state, skipped: 0, epoch, isRepeat: true)
      }
      let (skipped, isRepeat) = gap(state, behind: last)
      return news(.changed, name, state, skipped: skipped, epoch, isRepeat: isRepeat)
    }
    // A number without a name belongs to a store of a watch that has ended. A store that was removed, or is older than the bookmark and so was
    // removed as well, is part of what the hub repeats.
    guard let name, state.revision > bookmark?.revision ?? 0, !absences.hasGone(state.id) else { return nil }
    let replaced = ids.updateValue(state.id, forKey: name)
    if let replaced { stores[replaced.raw] = nil }
    stores[state.id.raw] = Known(name: name, state: state)
    hasShown = true
    switch phase {
    case _ where absences.isNews(name), .following:
      // The store is newer; if it replaced another one, the removal of the other was not seen.
      return news(.changed, name, state, skipped: replaced == nil ? state.version &- 1 : nil, epoch)
    case .introducing(.fresh): return news(.initial, name, state, skipped: 0, epoch)
    case .introducing(.sameEpoch(let versions)):
      guard let last = versions[state.id] else {
        return news(.initial, name, state, skipped: nil, epoch)
      }
      let (skipped, isRepeat) = gap(state, behind: last)
      return news(.initial, name, state, skipped: skipped, epoch, isRepeat: isRepeat)
    case .introducing(.otherEpoch): return news(.initial, name, state, skipped: nil, epoch)
    }
  }

  /// How many changes lie between a state and what was shown of the store, even before a `reset`; and whether the state is
  /// not new since then.
  private func gap(_ state: StoreState, behind last: UInt64) -> (skipped: UInt64, isRepeat: Bool) {
    var last = last
    if case .introducing(.sameEpoch(let versions)) = phase, let shown = versions[state.id] {
      last = max(last, shown)
    }
    return state.version > last ? (state.version - last - 1, false) : (0, true)
  }

  private mutating func remove(_ name: String, _ removal: HubEvent.Removal) -> StoreEvent? {
    guard let epoch else { return nil }
    note(removal.revision)
    let last = stores[removal.id.raw]?.state.version
    guard removal.version > last ?? 0 else { return nil }
    if last != nil {
      stores[removal.id.raw] = nil
      ids[name] = nil
    } else if isIntroducing || removal.revision <= bookmark?.revision ?? 0 || absences.hasGone(removal.id) {
      return nil
    }
    // A store that was created and removed unseen is shown as removed, so that its changes count as skipped.
    absences.noteRemoval(of: removal.id, name, removal.revision, isIntroducing: isIntroducing)
    var event = StoreEvent(
      .removed, name: name, revision: removal.revision, epoch: epoch, version: removal.version,
      skipped: removal.version - (last ?? 0) - 1, time: removal.time, uid: removal.uid)
    event.isWithdrawn = removal.isWithdrawn
    event.isWhole = wholeness == .whole
    event.isLast = isSettled
    return event
  }

  /// The hub sends in the order of revisions. So once a change has been seen, so has every earlier one, while others
  /// of the same revision, from one transaction, may still follow.
  private mutating func note(_ revision: Revision) {
    isWithinBatch = true
    self.revision = max(self.revision, revision)
    if revision > 0 { advance(to: revision - 1) }
  }

  private mutating func sync(_ revision: Revision) -> StoreEvent? {
    // While the hub repeats what was received before a loss, the view is ahead.
    guard let epoch, revision >= self.revision else { return nil }
    let isNews = !isSynced || isWithinBatch
    isSynced = true
    isWithinBatch = false
    syncedAt = max(syncedAt, revision)
    wholeness = sendsEvery ? .whole : .unknown
    phase = .following
    self.revision = max(self.revision, revision)
    bookmark = Bookmark(epoch: epoch, revision: max(revision, bookmark?.revision ?? 0))
    absences.sync(at: revision)
    return isNews ? StoreEvent(.synced, revision: revision, epoch: epoch) : nil
  }

  private mutating func forget(_ epoch: Epoch, _ revision: Revision) -> StoreEvent? {
    var wasShown = hasShown
    var versions = Dictionary(uniqueKeysWithValues: stores.values.map { ($0.state.id, $0.state.version) })
    switch phase {
    case .following: wasShown = true
    case .introducing(.sameEpoch(let earlier)): versions.merge(earlier) { later, _ in later }
    case .introducing: break
    }
    if epoch != self.epoch, self.epoch != nil {
      phase = .introducing(.otherEpoch)
    } else if wasShown {
      phase = .introducing(.sameEpoch(versions))
    }
    hasShown = false
    self.epoch = epoch
    self.revision = 0
    syncedAt = 0
    stores.removeAll()
    ids.removeAll()
    absences = Absences()
    bookmark = nil
    isSynced = false
    wholeness = .unknown
    return wasShown ? StoreEvent(.reset, revision: revision, epoch: epoch) : nil
  }

  /// An event about a store that has just appeared.
  @inline(__always)
  private func news(
    _ kind: StoreEvent.Kind, _ name: String, _ state: StoreState, skipped: UInt64?, _ epoch: Epoch,
    isRepeat: Bool = false
  ) -> StoreEvent {
    var event = event(kind, name, state, skipped: skipped, epoch, isRepeat: isRepeat)
    event.isWhole = wholeness == .whole
    event.isLast = isSettled
    return event
  }

  @inline(__always)
  private func event(
    _ kind: StoreEvent.Kind, _ name: String, _ state: StoreState, skipped: UInt64?, _ epoch: Epoch,
    isRepeat: Bool = false
  ) -> StoreEvent {
    var event = StoreEvent(
      kind, name: name, value: state.value, revision: state.revision, epoch: epoch, version: state.version,
      skipped: skipped, time: state.time, uid: state.uid)
    event.isRepeat = isRepeat
    event.isOverdue = state.silence == .begun
    return event
  }
}
