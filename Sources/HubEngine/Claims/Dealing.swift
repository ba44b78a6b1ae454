// The end of a turn for providers: outcomes become replies, waiting writes are forwarded, times are over. Everything here happens
// after the turn's write to the journal, and is told before the turn's changes.

package import HubCore

extension HubEngine {
  /// There are claims, or messages for sessions: `deal` has work, at the end of every turn.
  @inline(__always)
  package var hasClaims: Bool { mutating get { attention.hasClaims } }

  /// The turn's changes are in the journal: settles what was decided, and forwards what waits. Then `nextMessage` has what
  /// sessions are to be told.
  package mutating func deal(now: Instant) {
    precondition(ledger.outbox.bytes.isEmpty, "outcomes are told when they are in the journal")
    if claims.hasOutcomes { settleOutcomes(now: now) }
    if claims.nextDeadline <= now.boot { endTimes(now: now) }
    if !claims.queue.isEmpty { serveQueue(now: now) }
    if claims.mayForward {
      claims.mayForward = false
      for place in claims.all.indices { forward(from: place, now: now) }
    }
    attention.hasClaims = !claims.isEmpty
  }

  /// The next message to a session; valid until the next mutation.
  package mutating func nextMessage() -> (session: SessionID, bytes: ByteView, isSynced: Bool)? {
    let message = claims.messages.take()
    if message == nil { attention.hasClaims = !claims.isEmpty }
    return message
  }

  // MARK: Outcomes

  private mutating func settleOutcomes(now: Instant) {
    (claims.hasOutcomes, claims.mayForward) = (false, true)
    for late in claims.late where late.isDone {
      if let place = claims.place(numbered: late.claim) { hear(claim: place, now: now) }
    }
    claims.late.removeAll(where: \.isDone)
    for place in claims.all.indices {
      var again: [Ticket] = []
      var kept: [Ticket] = []
      for ticket in claims.all[place].forwarded {
        guard let outcome = ticket.outcome else {
          kept.append(ticket)
          continue
        }
        switch outcome {
        case .again: again.append(ticket.asked)
        case .reply(let reply, let isSynced): answer(ticket, reply, isSynced: isSynced)
        }
      }
      if kept.count == claims.all[place].forwarded.count { continue }
      claims.all[place].forwarded = kept
      claims.all[place].waiting.insert(contentsOf: again, at: 0)
      hear(claim: place, now: now)
    }
  }

  /// Its provider has decided about something: if it was silent, it is not any more.
  private mutating func hear(claim place: Int, now: Instant) {
    claims.all[place].misses = 0
    if claims.all[place].state == .silent { move(claim: place, to: .live, now: now) }
  }

  mutating func answer(_ ticket: Ticket, _ reply: [UInt8], isSynced: Bool = false) {
    charge(ticket, -1)
    guard let session = ticket.session else { return }
    claims.messages.append(to: session, isSynced: isSynced) { $0.append(reply) }
  }

  mutating func answer(_ ticket: Ticket, _ error: HubError) {
    tally.count(error)
    answer(ticket, Reply.error(error).frame(request: ticket.request))
  }

  /// The provider was asked, and there is no answer.
  mutating func answerUnknown(_ ticket: Ticket) {
    answer(
      ticket,
      HubError(
        .unanswered, store: ticket.store,
        "its provider was asked and has not answered: it is not known whether it has done it"))
  }

  mutating func withdraw(_ ticket: Ticket, of claim: Claim, _ reason: WithdrawReason) {
    guard let provider = claim.session else { return }
    claims.messages.append(to: provider) {
      HubEvent.withdraw(ticket: ticket.number, claim: claim.number, reason).encode(into: &$0)
    }
  }

  // MARK: Time

  private mutating func endTimes(now: Instant) {
    for place in claims.all.indices {
      let claim = claims.all[place]
      for ticket in claim.waiting where ticket.deadline <= now.boot {
        answer(
          ticket,
          HubError(
            .unavailable, store: ticket.store,
            "its provider is busy with other writes: nothing was done, try again"))
      }
      claims.all[place].waiting.removeAll { $0.deadline <= now.boot }
      let missed = claim.forwarded.filter { $0.deadline <= now.boot }
      if missed.isEmpty { continue }
      claims.all[place].forwarded.removeAll { $0.deadline <= now.boot }
      for ticket in missed {
        answerUnknown(ticket)
        withdraw(ticket, of: claim, .timeIsOver)
        if let session = claim.session { claims.keepLate(ticket, of: session, claim.number) }
      }
      claims.all[place].misses += missed.count
      if claim.isLive, claims.all[place].misses >= Claim.mostMisses {
        move(claim: place, to: .silent, now: now)
      }
    }
    claims.findDeadline()
  }

  // MARK: Forwarding

  /// What a step may cost of a turn before others are looked after.
  private static let forwardsPerTurn = 64

  private mutating func forward(from place: Int, now: Instant) {
    var left = HubEngine.forwardsPerTurn
    while left > 0, claims.all[place].canForward {
      left -= 1
      var ticket = claims.all[place].waiting.removeFirst()
      guard evaluate(&ticket, now: now), let provider = claims.all[place].session else { continue }
      let timeLeft = ticket.isEnd ? UInt32.max : UInt32(clamping: (ticket.deadline - now.boot) / 1_000_000)
      let write = ForwardedWrite(
        ticket: ticket.number, claim: claims.all[place].number, timeLeft: timeLeft, setter: ticket.setter,
        client: ticket.client, operations: ticket.operations, isEnd: ticket.isEnd)
      claims.messages.append(to: provider) { write.encode(into: &$0) }
      claims.all[place].forwarded.append(ticket)
    }
    if claims.all[place].canForward { claims.mayForward = true }
  }

  /// Judges a ticket anew, if anything has changed since it was judged.
  ///
  /// - Returns: false if it is answered.
  private mutating func evaluate(_ ticket: inout Ticket, now: Instant) -> Bool {
    if ticket.isEnd { return renewEnd(&ticket) }
    if ticket.evaluated == history.revision { return true }
    guard let session = ticket.session else { return false }
    do throws(HubError) {
      let frame = ticket.frame
      ticket.operations = try frame.withByteViewThrowing { (bytes) throws(HubError) in
        try rehearse(FrameView(bytes: bytes), by: session, now: now)
      }
      ticket.evaluated = history.revision
      return true
    } catch {
      answer(ticket, error)
      return false
    }
  }
}
