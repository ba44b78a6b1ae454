// The requests `provide` and `standing`: claims begin, change their state and end.

package import HubCore

extension HubEngine {
  mutating func provide(
    _ frame: FrameView, by session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = ProvideCommand(frame) else { throw HubError.malformed(frame) }
    let asked = try command.offer()
    let known = place(named: asked.name, for: session)
    let offer = try asked.checked(declared: known.map { claims.all[$0] })
    try stores.permissions.checkRight(
      to: offer, by: feed.sessions.peer(of: session).uid, feed.sessions.audience(of: session),
      declared: claims.declaredProviders[offer.name] ?? [], &work)
    // A hidden claim has the name: the error is the same as for a name that may not be used.
    if known == nil, claims.place(named: offer.name) != nil { throw Permissions.refusal(of: offer) }
    do throws(HubError) {
      let number = try claim(offer, by: session, now: now)
      Reply.providing(claim: number, revision: history.revision).encode(
        into: &replies, request: frame.request)
    } catch {
      guard error.code == .claimed, offer.waits else { throw error }
      if claims.queue.count >= Claims.mostQueued {
        throw HubError(.quota, "\(Claims.mostQueued) requests are already waiting for claims")
      }
      claims.queue.append(Claims.QueuedOffer(session: session, request: frame.request, offer: offer))
      attention.hasClaims = true
    }
  }

  /// - Returns: the claim's number.
  private mutating func claim(
    _ offer: ClaimOffer, by session: SessionID, now: Instant
  ) throws(HubError) -> UInt32 {
    let place = claims.place(named: offer.name)
    let peer = feed.sessions.peer(of: session)
    if let place { try checkFree(place, offer, for: session) }
    // The patterns are added to the tree, and others may have to be removed.
    work &+= offer.patterns.reduce(Cost.found &* claims.all.count / 16) { $0 + Cost.pattern($1) }
    if let (other, pattern) = claims.overlap(with: offer.patterns, besides: place, &work) {
      let isKnown = self.place(named: other.offer.name, for: session) != nil
      let owner = isKnown ? "\(other.offer.name) provides: \(other.offer.patternText)" : "another claim has"
      throw HubError(.claimed, store: offer.name.text, "\(pattern) overlaps with what \(owner)")
    }
    if place == nil {
      let own = claims.all.count { $0.owner == peer.uid && !$0.isDeclared }
      if claims.all.count >= Claims.most || own >= Claims.mostOfUser {
        throw HubError(
          .quota, store: offer.name.text,
          "you have \(own) claims: a user can have \(Claims.mostOfUser), and all users together \(Claims.most)"
        )
      }
    }
    let before = place.map { claims.all[$0].offer.patterns.count } ?? 0
    if claims.patternCount - before + offer.patterns.count > Claims.mostPatternsInAll {
      throw HubError(.quota, "all claims together can have at most \(Claims.mostPatternsInAll) patterns")
    }
    return begin(offer, at: place, by: session, peer, now)
  }

  private mutating func begin(
    _ offer: ClaimOffer, at place: Int?, by session: SessionID, _ peer: Peer, _ now: Instant
  ) -> UInt32 {
    var claim = Claim(claims.newNumber(), offer)
    (claim.session, claim.owner) = (session, peer.uid)
    let known = place.map { claims.all[$0] }
    if known?.offer != offer || known?.owner != peer.uid { ledger.tellClaim(claim) }
    if let place {
      let before = claims.all[place]
      if before.session != nil { abandon(place, now: now) }
      claim.isDeclared = before.isDeclared
      claim.restore(before.state, staleSince: claims.all[place].staleSince)
      claim.inherit(from: claims.all[place])
      (claim.isWatched, claim.interval) = (before.isWatched, before.interval)
      claims.replace(claim, at: place)
    }
    let place = place ?? claims.add(claim)
    (attention.hasClaims, claims.mayForward) = (true, true)
    move(claim: place, to: .syncing, now: now)
    return claim.number
  }

  // MARK: standing

  mutating func takeStanding(
    _ frame: FrameView, by session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = StandingCommand(frame) else { throw HubError.malformed(frame) }
    let name = try StoreName(command.name.text)
    guard let place = place(named: name, for: session) else {
      throw HubError(.noSuchStore, store: name.text, "there is no claim with this name")
    }
    let isOwn = claims.all[place].session == session
    if command.standing == .released {
      // A user can release an abandoned claim from another connection.
      guard isOwn || isOwner(session, of: claims.all[place]) || mayAdminister(session) else {
        throw HubError(.denied, store: name.text, "the claim belongs to another user")
      }
      release(place, now: now)
    } else {
      guard isOwn else {
        throw HubError(.denied, store: name.text, "it belongs to another connection, or to none")
      }
      if command.standing == .vacant { abandon(place, now: now) }
      claims.all[place].misses = 0
      claims.mayForward = true
      move(claim: place, to: ClaimState(command.standing), now: now)
    }
    Reply.stood(revision: history.revision).encode(into: &replies, request: frame.request)
  }

  /// Ends a claim. One that is declared stays, vacant.
  mutating func release(_ place: Int, now: Instant) {
    if claims.all[place].session != nil { abandon(place, now: now) }
    if claims.all[place].owner != nil { ledger.tellUnclaimed(claims.all[place].offer.name) }
    claims.all[place].owner = nil
    claims.noteFree()
    if !claims.all[place].isDeclared { drop(claim: place, now: now) }
  }

  mutating func drop(claim place: Int, now: Instant) {
    let name = claims.all[place].offer.name
    work &+= Cost.passed &* (2 &* claims.patternCount &+ claims.all[place].ends.count)
    var ends = claims.all[place].takeEnds()
    while let ticket = ends.popFirst() { claims.orphans.append(ticket) }
    claims.remove(at: place)
    withdrawStore(of: name, now: now)
  }

  /// The claim's provider is gone, or another one takes over.
  mutating func abandon(_ place: Int, now: Instant) {
    let claim = claims.all[place]
    work &+= Cost.request &* claim.forwardedCount
    for ticket in claims.all[place].takeForwarded(where: { _ in true }) { answerAbandoned(ticket, of: place) }
    _ = claims.all[place].takeDecided()
    if let session = claim.session, feed.sessions.isOpen(session) {
      claims.messages.append(to: session) {
        HubEvent.withdraw(ticket: 0, claim: claim.number, .claimEnded).encode(into: &$0)
      }
    }
    claims.all[place].session = nil
    claims.noteFree()
    move(claim: place, to: .vacant, now: now)
  }

  /// Handles a forwarded write whose provider disconnects: its decisions count.
  private mutating func answerAbandoned(_ ticket: Ticket, of place: Int) {
    switch ticket.outcome {
    case .reply(let reply, let isSynced): answer(ticket, reply, isSynced: isSynced)
    case .read(let error): answerReaders(of: ticket, error)
    // No writer waits for the expiry of a value, so it is forwarded again.
    case .again where ticket.isEnd, nil where ticket.isEnd: claims.all[place].addAgain(ticket.asked)
    case .again: answer(ticket, claims.all[place].error(ticket.store))
    case nil: answerUnknown(ticket)
    }
  }

  /// A session is about to be closed: takes a step towards leaving all claims, those that it provides and those that it waits for.
  ///
  /// - Returns: whether it has left all of them; if not, the work budget is spent.
  mutating func leaveClaims(_ session: SessionID, now: Instant, _ effort: inout Effort) -> Bool {
    claims.leaveQueue(session)
    dropLate { $0.session == session }
    for index in claims.late.indices where claims.late[index].ticket.session == session {
      claims.late[index].ticket.session = nil
    }
    var place = claims.leaving[session] ?? 0
    while place < claims.all.count {
      if effort.isSpent {
        claims.leaving[session] = place
        return false
      }
      effort.spend(2 * Cost.passed * (1 + claims.all[place].waiting.count + claims.all[place].forwardedCount))
      effort.spend(2 * Cost.passed * claims.all[place].readerCount)
      for ticket in claims.all[place].takeWaiting(where: { $0.session == session }) {
        stores.accounts.refund(ticket.charge)
      }
      let reads = claims.all[place].forgetReader(session)
      if reads.bytes > 0 { stores.accounts.refund(feed.charge(reads.bytes, of: session)) }
      for number in claims.all[place].forgetSetter(session) + reads.numbers {
        guard let ticket = claims.all[place].forwarded(number) else { continue }
        withdraw(ticket, of: claims.all[place], .setterLeft)
      }
      if claims.all[place].session == session {
        effort.spend(Cost.request * (1 + claims.all[place].waiting.count + claims.all[place].forwardedCount))
        abandon(place, now: now)
      }
      place += 1
    }
    claims.leaving[session] = nil
    claims.messages.drop(session)
    return true
  }

  /// Gives claims that have become free to their waiters.
  ///
  /// - Parameter enough: the work after which the rest waits for the next turn.
  mutating func serveQueue(until enough: Int, now: Instant) {
    while let index = claims.served, work < enough {
      guard index < claims.queue.count else { return claims.endServing() }
      let queued = claims.queue[index]
      do throws(HubError) {
        var offer = queued.offer
        if let place = claims.place(named: offer.name), claims.all[place].session == nil {
          // It has waited for another provider to leave, so it need not replace one.
          claims.all[place].owner = nil
          offer.replaces = false
        }
        let number = try claim(offer, by: queued.session, now: now)
        claims.queue.remove(at: index)
        claims.messages.append(to: queued.session) {
          Reply.providing(claim: number, revision: history.revision).encode(
            into: &$0, request: queued.request)
        }
      } catch {
        if error.code == .claimed {
          claims.served = index + 1
        } else {
          claims.queue.remove(at: index)
          claims.messages.append(to: queued.session) {
            Reply.error(error).encode(into: &$0, request: queued.request)
          }
        }
      }
    }
  }
}

extension ClaimOffer {
  /// Its patterns, as human-readable text.
  var patternText: String { patterns.map(\.text).joined(separator: ", ") }

  /// Why these patterns cannot be claimed, or nil.
  package static func problem(in patterns: [NamePattern]) -> HubError? {
    if patterns.isEmpty { return HubError(.malformed, "a claim needs at least one store or pattern") }
    if patterns.count > Claims.mostPatterns {
      return HubError(.tooLarge, "a claim can have at most \(Claims.mostPatterns) patterns")
    }
    for pattern in patterns {
      if pattern.isReserved {
        return HubError(.reserved, "names under statehub. are reserved for the hub")
      }
      if pattern.components.count > Claims.mostComponents {
        return HubError(.tooLarge, "a claimed pattern can have at most \(Claims.mostComponents) components")
      }
    }
    return nil
  }
}
