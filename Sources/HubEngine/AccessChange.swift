// Other access rules come into force: what each session may read is decided anew, and whoever watches is told what changed.

package import HubCore

/// What a change of the rules means for the sessions that had one audience and have another one now.
private struct VisibilityChange {
  /// Stores that could be read, and cannot be read any more.
  var lost: [Int] = []
  /// Stores that could not be read, and can be read now.
  var gained: [Int] = []
}

private struct AudiencePair: Hashable {
  var before: AudienceIndex
  var after: AudienceIndex
}

extension HubEngine {
  /// The most stores whose loss a session is told one by one. With more it is told to forget everything.
  private static let mostWithdrawals = 4096

  /// Puts other rules into force, between two turns and before any request is received. A session that watches stores which
  /// it may no longer read gets `removed` for each of them, with the reason; one that may read more than before is told to
  /// forget everything and gets it all again. Takes time for every store, audience and watch.
  ///
  /// - Parameter groups: the supplementary groups of a session's peer.
  package mutating func setAccess(_ rules: AccessRules, groups: (SessionID) -> [UInt32]) {
    var rules = rules
    // Who came through a socket that is gone has no rights left, and not all of them.
    for index in 0..<feed.sessions.limit where feed.sessions.isOpen(SessionID(raw: index)) {
      if let socket = socket(of: SessionID(raw: index)), !rules.sockets.contains(where: { $0.name == socket })
      {
        rules.sockets.append(.closed(socket))
      }
    }
    var after = Permissions(rules, user: options.uid, group: options.gid)
    if stores.permissions.table?.rules ?? AccessRules() == after.table?.rules ?? AccessRules() { return }
    precondition(isBetweenTurns && feed.unfinished.isEmpty, "the rules change between two turns")
    after.follow(openFrom: stores.permissions.openFrom, at: history.revision)
    ledger.tellAccess(openFrom: after.openFrom)
    let ruleBefore = (0..<stores.used).map { stores[$0].rule }
    let before = exchange(&stores.permissions, with: after)
    stores.assignRules()
    history.removals.assignRules(stores.permissions)
    var changes: [AudiencePair: VisibilityChange] = [:]
    // The old audiences' numbers mean others now: all of their patterns end before any begins.
    var moved: [(session: SessionID, audiences: AudiencePair)] = []
    for index in 0..<feed.sessions.limit where feed.sessions.isOpen(SessionID(raw: index)) {
      let session = SessionID(raw: index)
      let audience = feed.sessions.audience(of: session)
      let identity = rules.identity(
        of: feed.sessions.peer(of: session), groups: hasRules ? groups(session) : [],
        at: before.limit(of: audience)?.name)
      let audiences = AudiencePair(before: audience, after: stores.permissions.enter(identity))
      feed.sessions.setAudience(audiences.after, of: session)
      if audiences == AudiencePair(before: Permissions.everything, after: Permissions.everything) { continue }
      feed.endPatterns(of: session, history, &stores)
      moved.append((session, audiences))
    }
    for (session, audiences) in moved {
      feed.beginPatterns(of: session, &stores)
      let change = changes[audiences] ?? stores.visibility(audiences, before, ruleBefore)
      changes[audiences] = change
      tell(change, to: session)
    }
  }

  private mutating func tell(_ change: VisibilityChange, to session: SessionID) {
    guard feed.sessions[session].firstWatch >= 0 else { return }
    var withdrawals: ArraySlice<Withdrawal> = []
    var mustForget = change.lost.count > HubEngine.mostWithdrawals
    if !mustForget {
      for slot in change.lost where feed.follows(session, StoreName(checked: stores.name(of: slot))) {
        withdrawals.append(withdrawal(of: slot))
      }
    }
    for slot in change.gained where !mustForget {
      mustForget = feed.follows(session, StoreName(checked: stores.name(of: slot)))
    }
    if withdrawals.isEmpty && !mustForget { return feed.enqueue(session) }
    if !withdrawals.isEmpty { feed.withdrawals[session] = withdrawals }
    if mustForget {
      feed.startOver(session, history.log.head)
      feed.sessions[session].mustForget = true
    }
    feed.sessions[session].owesSync = true
    feed.enqueue(session)
  }

  /// The store goes on, for others: its version is one that no change of it has yet.
  private func withdrawal(of slot: Int) -> Withdrawal {
    var removal = HubEvent.Removal(
      id: stores[slot].id, revision: history.revision, version: stores[slot].version + 1,
      time: stores[slot].time, uid: options.uid)
    removal.isWithdrawn = true
    return Withdrawal(name: stores.name(of: slot).text, removal: removal)
  }
}

/// A store that a session has been shown and may no longer read.
struct Withdrawal {
  var name: String
  var removal: HubEvent.Removal
}

extension Feed {
  /// The session's watches stay, without patterns until `beginPatterns`.
  fileprivate mutating func endPatterns(
    of session: SessionID, _ history: borrowing History, _ stores: inout Stores
  ) {
    if sessions[session].firstWatch < 0 { return }
    leaveLive(session, history)
    var node = sessions[session].firstWatch
    while node >= 0 {
      detach(watch: node, &stores)
      node = sessions[watch: node].next
    }
  }

  /// A pattern that has ended is known until it is tidied up.
  fileprivate mutating func beginPatterns(of session: SessionID, _ stores: inout Stores) {
    var effort = Effort(.max)
    var node = sessions[session].firstWatch
    while node >= 0 {
      let pattern = patterns[sessions[watch: node].pattern].pattern
      attach(watch: node, to: pattern, &stores)
      _ = patterns.build(sessions[watch: node].pattern, stores: &stores, &effort)
      node = sessions[watch: node].next
    }
  }

  fileprivate func follows(_ session: SessionID, _ name: StoreName) -> Bool {
    isMatched(name, from: sessions[session].firstWatch, to: -1)
  }

  /// Appends what was withdrawn from the session.
  ///
  /// - Returns: whether that was all.
  mutating func appendWithdrawals(_ session: SessionID) -> Bool {
    guard let list = withdrawals[session] else { return true }
    for withdrawal in list {
      if isBatchFull { return false }
      HubEvent.removed(name: withdrawal.name, withdrawal.removal, grouped: false, more: true)
        .encode(into: &scratch)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .withdrew))
    }
    return true
  }

  mutating func didWithdraw(_ session: SessionID) {
    withdrawals[session]?.removeFirst()
    if withdrawals[session]?.isEmpty ?? false { withdrawals[session] = nil }
  }
}

extension Stores {
  fileprivate func visibility(
    _ audiences: AudiencePair, _ before: borrowing Permissions, _ ruleBefore: [Int32]
  ) -> VisibilityChange {
    var change = VisibilityChange()
    for slot in 0..<used where self[slot].id.raw != 0 {
      let could = before.rights(
        of: audiences.before, rule: ruleBefore[slot], createdBy: self[slot].creator
      ).contains(.read)
      let can = isVisible(slot, to: audiences.after)
      if could, !can { change.lost.append(slot) }
      if can, !could { change.gained.append(slot) }
    }
    return change
  }
}
