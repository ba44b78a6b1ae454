// Other access rules take effect: the rights of each session are re-evaluated, and watchers are notified of changes.

package import HubCore

/// What a change of the rules means for a session, until it has been notified.
struct AccessNews {
  /// Stores that could be read, and no longer can. The session must be notified of those that it watches.
  var lost: ArraySlice<Withdrawal> = []
  /// The slots of stores that could not be read, and can be read now. If it watches one of them, it must start over.
  var gained: ArraySlice<Int32> = []
}

/// A store that a session may no longer read.
struct Withdrawal {
  var name: StoreName
  var removal: HubEvent.Removal
}

private struct AudiencePair: Hashable {
  var before: AudienceIndex
  var after: AudienceIndex
}

/// Stores by the rules that decide on them, before and now: of those for which nothing changes an audience takes one
/// look at all.
private struct RuledStores {
  private struct Pair: Hashable {
    var before: Int32
    var after: Int32
  }

  private(set) var groups: [(before: Int32, after: Int32, slots: [Int32])] = []

  init(_ stores: borrowing Stores, before: [Int32]) {
    var places: [Pair: Int] = [:]
    var (last, place) = (Pair(before: -1, after: -1), 0)
    for slot in 0..<stores.used where stores[slot].id.raw != 0 {
      let pair = Pair(before: before[slot], after: stores[slot].rule)
      if pair != last {
        place = places[pair] ?? groups.count
        if place == groups.count { groups.append((pair.before, pair.after, [])) }
        (places[pair], last) = (place, pair)
      }
      groups[place].slots.append(Int32(slot))
    }
  }
}

extension HubEngine {
  /// The most stores whose loss is reported to a session one by one. With more, it is reset.
  private static let mostWithdrawals = 4096

  /// Applies other rules, between two turns. Requests that take several steps start over. A session that watches stores
  /// which it may no longer read gets `removed` for each of them, with the reason; one that may read more than before
  /// is reset and gets everything again. What concerns stores and watches is found in steps, while sessions catch up. The
  /// rest is not divided: it takes time for every store, session and watch, and for every audience and the rules that stores
  /// have. Measured: 32 ms with 100,000 stores and 10,000 connections that no rule concerns.
  ///
  /// - Parameters:
  ///   - groups: the supplementary groups of a session's peer.
  ///   - origins: a session's unit and app, if the rules need them and they are not known yet.
  package mutating func setAccess(
    _ rules: AccessRules, groups: (SessionID) -> [UInt32],
    origins: (SessionID) -> PeerOrigin = { _ in PeerOrigin() }
  ) {
    var rules = rules
    // Clients of a removed socket have no rights left, rather than all.
    for index in 0..<feed.sessions.limit where feed.sessions.isOpen(SessionID(raw: index)) {
      if let socket = socket(of: SessionID(raw: index)), !rules.sockets.contains(where: { $0.name == socket })
      {
        rules.sockets.append(.closed(socket))
      }
    }
    var after = Permissions(rules, user: options.uid, group: options.gid)
    if stores.permissions.table?.rules ?? AccessRules() == after.table?.rules ?? AccessRules() { return }
    precondition(isBetweenTurns, "the rules can be changed only between turns")
    var effort = Effort(.max)
    for session in Array(feed.unfinished.keys) { _ = feed.giveUp(session, &stores, &effort) }
    work &+= effort.spent
    after.follow(openFrom: stores.permissions.openFrom, at: history.revision)
    ledger.tellAccess(openFrom: after.openFrom)
    let ruleBefore = (0..<stores.used).map { stores[$0].rule }
    let before = exchange(&stores.permissions, with: after)
    stores.assignRules()
    history.removals.assignRules(stores.permissions)
    var changes: [AudiencePair: AccessNews] = [:]
    var uncounted = 0
    // The old audiences' numbers now belong to others: all of their patterns end before any new one begins.
    var moved: [(session: SessionID, audiences: AudiencePair)] = []
    for index in 0..<feed.sessions.limit where feed.sessions.isOpen(SessionID(raw: index)) {
      let session = SessionID(raw: index)
      let audience = feed.sessions.audience(of: session)
      let peer = feed.sessions.peer(of: session)
      if namesPrograms, feed.sessions.origin(of: session) == nil {
        feed.sessions.setOrigin(origins(session), of: session)
      }
      let identity =
        stores.permissions.table?.identity(
          of: peer, groups: groups(session), at: before.limit(of: audience)?.name, origin: origin(of: session)
        )
        ?? PeerIdentity(peer)
      let audiences = AudiencePair(
        before: audience, after: stores.permissions.enter(identity, work: &uncounted))
      feed.sessions.setAudience(audiences.after, of: session)
      if audiences == AudiencePair(before: Permissions.everything, after: Permissions.everything) { continue }
      if feed.sessions[session].firstWatch < 0 { continue }
      feed.endPatterns(of: session, from: history.turn.start, &stores)
      moved.append((session, audiences))
    }
    let ruled = moved.isEmpty ? nil : RuledStores(stores, before: ruleBefore)
    for (session, audiences) in moved {
      feed.beginPatterns(of: session, &stores)
      let change = changes[audiences] ?? news(for: audiences, before, ruled)
      changes[audiences] = change
      let hadNews = feed.news.updateValue(change, forKey: session) != nil
      if hadNews || change.lost.count > HubEngine.mostWithdrawals { feed.forget(session, history.log.head) }
      feed.enqueue(session)
    }
  }

  private func news(
    for audiences: AudiencePair, _ before: borrowing Permissions, _ ruled: RuledStores?
  ) -> AccessNews {
    var news = AccessNews()
    for group in ruled?.groups ?? [] {
      let could = before.reading(by: audiences.before, rule: group.before)
      let can = stores.permissions.reading(by: audiences.after, rule: group.after)
      if could == can { continue }
      for slot in group.slots {
        let creator = stores[Int(slot)].creator
        let (could, can) = (could.includes(createdBy: creator), can.includes(createdBy: creator))
        if could, !can, news.lost.count <= HubEngine.mostWithdrawals {
          news.lost.append(withdrawal(of: Int(slot)))
        }
        if can, !could { news.gained.append(slot) }
      }
    }
    return news
  }

  /// The store stays, for others: its version is one that no change of it has yet.
  private func withdrawal(of slot: Int) -> Withdrawal {
    var removal = HubEvent.Removal(
      id: stores[slot].id, revision: history.revision, version: stores[slot].version + 1,
      time: stores[slot].time, uid: options.uid)
    removal.isWithdrawn = true
    return Withdrawal(name: StoreName(checked: stores.name(of: slot)), removal: removal)
  }
}

extension Feed {
  /// The session's watches stay, without patterns until `beginPatterns`.
  fileprivate mutating func endPatterns(
    of session: SessionID, from start: UInt64, _ stores: inout Stores
  ) {
    leaveLive(session, from: start)
    var node = sessions[session].firstWatch
    while node >= 0 {
      detach(watch: node, &stores)
      node = sessions[watch: node].next
    }
  }

  /// A pattern that has ended is known until it is tidied up.
  fileprivate mutating func beginPatterns(of session: SessionID, _ stores: inout Stores) {
    var node = sessions[session].firstWatch
    while node >= 0 {
      attach(watch: node, to: patterns[sessions[watch: node].pattern].pattern, &stores)
      node = sessions[watch: node].next
    }
  }

  /// Finds the stores of the session's patterns under the new rules, and whether it must start over.
  ///
  /// - Returns: whether all of that is known; if not, the work budget is spent, or the session is about to end.
  mutating func learnNews(
    _ session: SessionID, _ head: UInt64, _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    guard buildPatterns(of: session, &stores, &effort) else { return false }
    guard news[session]?.gained.isEmpty == false else { return true }
    stampPatterns(of: session, &effort)
    while let slot = news[session]?.gained.popFirst() {
      if Int(slot) < stores.used, patterns.isStamped(stores[Int(slot)], &effort) {
        news[session]?.gained = []
        forget(session, head)
        return true
      }
      effort.spend(Cost.passed)
      if effort.isSpent { return false }
    }
    return true
  }

  /// - Returns: whether all are complete.
  private mutating func buildPatterns(
    of session: SessionID, _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    var (node, passed) = (sessions[session].firstWatch, 0)
    // At the end, so that every step makes progress.
    defer { effort.spend(Cost.passed * passed) }
    while node >= 0 {
      let pattern = sessions[watch: node].pattern
      if patterns[pattern].stage == .building {
        _ = patterns.takeCrowding()
        let isWhole = patterns.build(pattern, stores: &stores, &effort)
        if patterns.takeCrowding() { crowded = session }
        if crowded == session || !isWhole { return false }
        if effort.isSpent { return false }
      }
      node = sessions[watch: node].next
      passed += 1
    }
    return true
  }

  /// Appends what was withdrawn from the session.
  ///
  /// - Returns: whether that was all.
  mutating func appendWithdrawals(
    _ session: SessionID, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> Bool {
    guard let lost = news[session]?.lost, !lost.isEmpty else { return true }
    stampPatterns(of: session, &effort)
    for (index, withdrawal) in zip(lost.indices, lost) {
      if isLost || index > lost.startIndex && hasEnough(effort) {
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .withdrew(before: index)))
        return false
      }
      effort.spend(Cost.membership)
      guard isMatched(withdrawal.name, by: session, &effort) else { continue }
      HubEvent.removed(name: withdrawal.name.text, withdrawal.removal, grouped: false, more: true)
        .encode(into: &scratch)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .withdrew(before: index + 1)))
    }
    scratchFrames.append(ScratchFrame(end: scratch.count, progress: .withdrew(before: lost.endIndex)))
    return true
  }

  /// The session has been notified of its losses, up to there.
  mutating func didWithdraw(_ session: SessionID, before index: Int) {
    guard let lost = news[session]?.lost else { return }
    news[session]?.lost = lost[index...]
  }
}
