// Reads of claimed stores whose provider answers reads: the provider is asked first, once for all concurrent reads of the same store, which are then
// answered from the store.

import HubCore

extension HubEngine {
  /// Takes care of a `get` whose answer depends on the store's provider.
  ///
  /// - Returns: nil if it does not: the request is executed like any other.
  mutating func ask(
    _ frame: FrameView, from session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) -> Receipt? {
    guard let command = GetCommand(frame), let read = provided(command.store, for: session) else {
      return nil
    }
    work &+= Cost.request &+ Cost.bytes(frame.bytes.count)
    monitoring.tally.requests &+= 1
    _ = feed.sessions.countRequest(of: session)
    do throws(HubError) {
      try hold(frame, reading: read.name, length: read.length, for: read.place, by: session, now: now)
      return []
    } catch {
      monitoring.note(error, of: feed.sessions.peer(of: session))
      Reply.error(error).encode(into: &replies, request: frame.request)
      return ledger.awaitsJournal ? .awaitsJournal : []
    }
  }

  /// The claim whose provider is asked before the session's read is answered, with the store's name and the length of its value;
  /// nil: no provider is asked. If the store does not exist, the session must be allowed to read what the provider would create, so that it does not
  /// reveal whether a hidden store exists.
  private mutating func provided(
    _ key: StoreKey, for session: SessionID
  ) -> (place: Int, name: StoreName, length: Int)? {
    let (slot, audience) = (stores.locate(key), feed.sessions.audience(of: session))
    if let slot, !stores.isVisible(slot, to: audience) { return nil }
    if slot == nil, key.name.isEmpty || StoreName.problem(in: key.name) != nil { return nil }
    let name = slot.map { stores.name(of: $0) } ?? key.name
    guard let place = claims.place(of: name, &work), claims.all[place].offer.answersReads,
      claims.all[place].isLive, claims.all[place].session != session
    else { return nil }
    if slot == nil {
      let rights = stores.permissions.rights(
        of: audience, rule: stores.permissions.rule(for: name),
        createdBy: claims.all[place].owner ?? options.uid)
      guard rights.contains(.read) else { return nil }
    }
    return (place, StoreName(checked: name), slot.map { stores.value(of: $0).bytes.count } ?? 0)
  }

  /// Keeps a read until its provider has decided on it.
  ///
  /// - Parameter length: of the value, which is charged in the meantime, like the reply.
  private mutating func hold(
    _ frame: FrameView, reading name: StoreName, length: Int, for place: Int, by session: SessionID,
    now: Instant
  ) throws(HubError) {
    let reader = Ticket.Reader(
      session: session, frame: frame.bytes.array,
      memory: Ticket.ownMemory + frame.bytes.count + length)
    try feed.checkMemory(reader.memory, for: session, &stores)
    work &+=
      Cost.passed &* (claims.all[place].waiting.count &+ claims.all[place].forwardedCount)
      &+ Cost.bytes(reader.memory)
    if !claims.all[place].join(reader, reading: name) {
      try checkQueue(of: place, for: name.text)
      let deadline = now.boot + UInt64(claims.all[place].offer.timeout) * 1_000_000
      claims.lastTicket += 1
      claims.all[place].add(Ticket(claims.lastTicket, reading: name, by: reader, until: deadline))
      claims.mayForward = true
      claims.note(deadline: deadline, at: place)
    }
    stores.accounts.add(feed.charge(reader.memory, of: session))
  }

  /// What becomes of a read, by its provider's decision.
  func outcome(ofRead ticket: Ticket, _ command: DecideCommand) throws(HubError) -> Ticket.Outcome {
    switch command.verdict {
    case .accept: .read(nil)
    case .refuse: .read(HubError(command.code, store: ticket.store, command.message))
    case .again: .again
    case .acceptOther, .taken:
      throw HubError(.malformed, "a read can be accepted, refused or asked again: publish its value first")
    }
  }

  /// Answers all readers of a store: with its value, if they may read it now, or with an error.
  mutating func answerReaders(of ticket: Ticket, _ error: HubError?) {
    var reply = OutputBuffer()
    for reader in ticket.readers {
      stores.accounts.refund(feed.charge(reader.memory, of: reader.session))
      reply.clear()
      reader.frame.withByteView { bytes in
        let frame = FrameView(bytes: bytes)
        do throws(HubError) {
          if let error { throw error }
          try get(frame, for: feed.sessions.audience(of: reader.session), into: &reply)
        } catch {
          monitoring.tally.count(error)
          Reply.error(error).encode(into: &reply, request: frame.request)
        }
      }
      claims.messages.append(to: reader.session) { $0.append(reply.view) }
    }
  }
}
