// The end of a turn for providers: outcomes become replies, waiting writes are forwarded, time limits expire.
// Everything here happens after the turn's write to the journal, and is sent before the turn's changes.

package import HubCore

extension HubEngine {
  /// There are claims, or messages for sessions: `deal` has work, at the end of every turn.
  @inline(__always)
  package var hasClaims: Bool { mutating get { attention.hasClaims } }

  /// The turn's changes are in the journal: answers decided writes, and forwards waiting ones. Then `nextMessage` has
  /// the messages for sessions.
  package mutating func deal(now: Instant) {
    precondition(ledger.outbox.bytes.isEmpty, "outcomes are reported once they are in the journal")
    if claims.hasOutcomes { answerDecided(now: now) }
    let enough = work &+ HubEngine.dealWork
    if claims.nextDeadline <= now.boot { endTimes(until: enough, now: now) }
    if claims.served != nil { serveQueue(until: enough, now: now) }
    if claims.mayForward { forwardAll(until: enough, now: now) }
    if !claims.orphans.isEmpty { endOrphans(until: work &+ HubEngine.dealWork / 2, now: now) }
    followWatchers(until: work &+ HubEngine.dealWork, now: now)
    attention.hasClaims = !claims.isEmpty
  }

  /// The next message to a session; valid until the next mutation.
  package mutating func nextMessage() -> (session: SessionID, bytes: ByteView, isSynced: Bool)? {
    let message = claims.messages.take()
    if message == nil { attention.hasClaims = !claims.isEmpty }
    return message
  }

  // MARK: Outcomes

  /// What it costs was counted with each decision.
  private mutating func answerDecided(now: Instant) {
    (claims.hasOutcomes, claims.mayForward) = (false, true)
    for late in claims.late where late.isDone {
      if let place = claims.place(numbered: late.claim) { hear(claim: place, now: now) }
    }
    dropLate(where: \.isDone)
    for place in claims.all.indices where !claims.all[place].decided.isEmpty {
      let tickets = claims.all[place].takeDecided()
      for ticket in tickets {
        switch ticket.outcome {
        case .reply(let reply, let isSynced): answer(ticket, reply, isSynced: isSynced)
        case .read(let error): answerReaders(of: ticket, error)
        case .again, nil: break
        }
      }
      // In reverse, because each is inserted before the waiting ones.
      for ticket in tickets.reversed() {
        if case .again = ticket.outcome { claims.all[place].addAgain(ticket.asked) }
      }
      hear(claim: place, now: now)
    }
  }

  /// Its provider has decided on something: it is responding again.
  private mutating func hear(claim place: Int, now: Instant) {
    claims.all[place].misses = 0
    if claims.all[place].state == .silent { move(claim: place, to: .live, now: now) }
  }

  mutating func answer(_ ticket: Ticket, _ reply: [UInt8], isSynced: Bool = false) {
    stores.accounts.refund(ticket.charge)
    guard let session = ticket.session else { return }
    claims.messages.append(to: session, isSynced: isSynced) { $0.append(reply) }
  }

  mutating func answer(_ ticket: Ticket, _ error: HubError) {
    if ticket.isRead { return answerReaders(of: ticket, error) }
    monitoring.tally.count(error)
    answer(ticket, Reply.error(error).frame(request: ticket.request))
  }

  /// The provider was asked, and has not answered.
  mutating func answerUnknown(_ ticket: Ticket) {
    answer(
      ticket,
      HubError(
        .unanswered, store: ticket.store,
        "its provider was asked but did not answer: the outcome is unknown"))
  }

  mutating func withdraw(_ ticket: Ticket, of claim: Claim, _ reason: WithdrawReason) {
    guard let provider = claim.session else { return }
    claims.messages.append(to: provider) {
      HubEvent.withdraw(ticket: ticket.number, claim: claim.number, reason).encode(into: &$0)
    }
  }

  // MARK: Time

  /// - Parameter enough: the work after which the other claims wait for the next turn.
  private mutating func endTimes(until enough: Int, now: Instant) {
    work &+= 2 &* Cost.passed &* claims.all.count
    for place in claims.all.indices where claims.all[place].nextDeadline <= now.boot {
      endTimes(of: place, now: now)
      if work >= enough { break }
    }
    claims.findDeadline()
  }

  private mutating func endTimes(of place: Int, now: Instant) {
    work &+=
      2 &* Cost.passed &* (claims.all[place].waiting.count &+ claims.all[place].forwardedCount)
    let expired = claims.all[place].takeWaiting { $0.deadline <= now.boot }
    for ticket in expired {
      answer(
        ticket,
        HubError(
          .unavailable, store: ticket.store,
          "its provider is busy with other requests: nothing was done, try again"))
    }
    let missed = claims.all[place].takeForwarded { $0.deadline <= now.boot }
    work &+= Cost.request &* (expired.count &+ missed.count)
    defer { claims.all[place].findDeadline() }
    if missed.isEmpty { return }
    let claim = claims.all[place]
    for ticket in missed {
      answerUnknown(ticket)
      withdraw(ticket, of: claim, .timeIsOver)
      if let session = claim.session { keepLate(ticket, of: session, claim.number) }
    }
    claims.all[place].misses += missed.count
    if claim.isLive, claims.all[place].misses >= Claim.mostMisses {
      move(claim: place, to: .silent, now: now)
    }
  }

  /// Keeps a write whose writer has been answered that the outcome is unknown.
  mutating func keepLate(_ ticket: Ticket, of session: SessionID, _ claim: UInt32) {
    var ticket = ticket
    // They were answered.
    _ = ticket.removeReaders { _ in true }
    if claims.late.count >= Claims.mostLate {
      stores.accounts.refund(claims.late.removeFirst().ticket.charge)
    }
    stores.accounts.add(ticket.charge)
    claims.late.append(Claims.Late(ticket: ticket, session: session, claim: claim))
  }

  mutating func dropLate(where body: (Claims.Late) -> Bool) {
    for late in claims.late where body(late) { stores.accounts.refund(late.ticket.charge) }
    claims.late.removeAll(where: body)
  }

  // MARK: Forwarding

  /// The budget of a turn for forwarding writes and for giving claims to waiters.
  private static let dealWork = 500_000
  /// The most writes of one claim forwarded before those of the next.
  private static let forwardsPerTurn = 64

  /// Each turn begins with the claim that comes after the last one of the turn before.
  private mutating func forwardAll(until enough: Int, now: Instant) {
    claims.mayForward = false
    for _ in claims.all.indices {
      if claims.nextForwarding >= claims.all.count { claims.nextForwarding = 0 }
      let place = claims.nextForwarding
      claims.nextForwarding += 1
      work &+= Cost.passed
      forward(from: place, until: enough, now: now)
      if work < enough { continue }
      claims.mayForward = true
      return
    }
  }

  private mutating func forward(from place: Int, until enough: Int, now: Instant) {
    var left = HubEngine.forwardsPerTurn
    while left > 0, work < enough, claims.all[place].canForward {
      left -= 1
      guard var ticket = claims.all[place].takeNext() else { break }
      work &+= Cost.request &+ Cost.bytes(ticket.memory)
      guard evaluate(&ticket, now: now), let provider = claims.all[place].session else { continue }
      let timeLeft = ticket.isEnd ? UInt32.max : UInt32(clamping: (ticket.deadline - now.boot) / 1_000_000)
      let number = claims.all[place].number
      if let store = ticket.readStore {
        let read = ForwardedRead(ticket: ticket.number, claim: number, timeLeft: timeLeft, name: store)
        claims.messages.append(to: provider) { read.encode(into: &$0) }
      } else {
        let write = ForwardedWrite(
          ticket: ticket.number, claim: number, timeLeft: timeLeft, writer: ticket.writer,
          client: ticket.client, operations: ticket.operations, isEnd: ticket.isEnd)
        claims.messages.append(to: provider) { write.encode(into: &$0) }
      }
      claims.all[place].forward(ticket)
    }
    if claims.all[place].canForward { claims.mayForward = true }
  }

  /// Evaluates a ticket again, if anything has changed since.
  ///
  /// - Returns: false if it is answered.
  private mutating func evaluate(_ ticket: inout Ticket, now: Instant) -> Bool {
    if ticket.isEnd { return renewEnd(&ticket) }
    if ticket.isRead { return !ticket.readers.isEmpty }
    if ticket.evaluated == history.revision { return true }
    guard let session = ticket.session else {
      stores.accounts.refund(ticket.charge)
      return false
    }
    do throws(HubError) {
      let frame = ticket.frame
      let operations = try frame.withByteViewThrowing { (bytes) throws(HubError) in
        try rehearse(FrameView(bytes: bytes), by: session, now: now)
      }
      let before = ticket.charge
      ticket.operations = operations
      stores.accounts.replace(before, by: ticket.charge)
      ticket.evaluated = history.revision
      return true
    } catch {
      answer(ticket, error)
      return false
    }
  }
}
