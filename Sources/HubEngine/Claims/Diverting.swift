// Writes to claimed stores: found among all requests, checked as if they were to be executed, and queued for the provider.

import HubCore

extension HubEngine {
  /// Takes care of a request if it writes stores that another connection has claimed.
  ///
  /// - Returns: nil if it does not: it is executed like any other.
  @inline(never)
  mutating func divert(
    _ frame: FrameView, from session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) -> Receipt? {
    guard feed.sessions[session].delivery != .greeting else { return nil }
    switch frame.kind {
    case .write, .request(.transaction): break
    case .request(.get) where claims.answeringReads > 0:
      return ask(frame, from: session, now: now, into: &replies)
    default: return nil
    }
    do throws(HubError) {
      guard let place = try claim(of: frame, by: session) else { return nil }
      work &+= Cost.request + Cost.bytes(frame.bytes.count)
      monitoring.tally.requests &+= 1
      _ = feed.sessions.countRequest(of: session)
      try hold(frame, for: place, by: session, now: now)
      return []
    } catch {
      if lacksRoom(error) { return .askAgain }
      monitoring.note(error, of: feed.sessions.peer(of: session))
      Reply.error(error).encode(into: &replies, request: frame.request)
      return ledger.awaitsJournal ? .awaitsJournal : []
    }
  }

  /// The claim whose provider decides on a write; nil: none, or it is the session's own.
  private mutating func claim(of frame: FrameView, by session: SessionID) throws(HubError) -> Int? {
    guard frame.kind == .request(.transaction) else { return try claim(ofOperation: frame, by: session) }
    var found: Int?
    var isFirst = true
    var operations = TransactionCommand(frame).operations
    var index = 0
    while let operation = operations.next() {
      do throws(HubError) {
        let place = try claim(ofOperation: operation, by: session)
        if !isFirst, place != found {
          throw HubError(
            .notSupported,
            "a transaction cannot span providers: write to the stores of one provider, or of none")
        }
        (found, isFirst) = (place, false)
      } catch {
        var error = error
        error.operation = index
        throw error
      }
      index += 1
      work &+= Cost.found
    }
    return found
  }

  private mutating func claim(ofOperation frame: FrameView, by session: SessionID) throws(HubError) -> Int? {
    var reader = ByteReader(frame.payload)
    // All writes begin with the store; a `create` with its name, which looks the same.
    let key = StoreKey(reading: &reader)
    if reader.failed { return nil }
    guard let name = stores.mayConcern(key, feed.sessions.audience(of: session)) else { return nil }
    if HubEngine.ownNames.withByteView({ name.hasPrefix($0) }) {
      throw HubError(.reserved, store: name.text, "names under statehub. are reserved for the hub")
    }
    guard let place = claims.place(of: name, &work), claims.all[place].session != session else { return nil }
    return place
  }

  fileprivate static let ownNames = Array("statehub.".utf8)

  /// Evaluates a write as if it were executed, and keeps it.
  private mutating func hold(
    _ frame: FrameView, for place: Int, by session: SessionID, now: Instant
  ) throws(HubError) {
    let bytes = frame.bytes.array
    let operations = try rehearse(frame, by: session, now: now)
    let name = operations.first?.name.text ?? claims.all[place].offer.name.text
    guard claims.all[place].isLive else { throw claims.all[place].error(name) }
    if !claims.all[place].offer.takesLifetimes,
      operations.contains(where: { $0.ttl != nil || $0.isEphemeral })
    {
      throw HubError(
        .notSupported, store: name, "its provider does not support times to live or ephemeral values")
    }
    try checkQueue(of: place, for: name)
    let deadline = now.boot + UInt64(claims.all[place].offer.timeout) * 1_000_000
    let ticket = Ticket(
      number: claims.lastTicket + 1, session: session, request: frame.request,
      writer: feed.sessions.peer(of: session), payer: feed.sessions.peer(of: session).uid,
      client: feed.sessions.name(of: session), frame: bytes,
      deadline: deadline, operations: operations, evaluated: history.revision,
      isTransaction: frame.kind == .request(.transaction))
    try feed.checkMemory(ticket.memory, for: session, &stores)
    claims.lastTicket += 1
    work &+= Cost.bytes(ticket.memory)
    stores.accounts.add(ticket.charge)
    claims.all[place].add(ticket)
    claims.mayForward = true
    claims.note(deadline: deadline, at: place)
  }

  func checkQueue(of place: Int, for store: String) throws(HubError) {
    if claims.all[place].waiting.count < Claim.mostWaiting { return }
    throw HubError(
      .unavailable, store: store,
      "\(Claim.mostWaiting) writes and reads are already waiting for its provider: nothing was done, try again"
    )
  }

  /// The effect of a write, found by executing and undoing it. It throws what the write would.
  mutating func rehearse(
    _ frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> [ForwardedOperation] {
    let before = monitoring.tally
    begin()
    defer {
      rollBack()
      monitoring.tally = before
    }
    guard let kind = WriteKind(rawValue: frame.rawKind) else {
      return try rehearse(transaction: frame, by: session, now: now)
    }
    return [try rehearse(frame, kind, by: session, now: now)]
  }

  private mutating func rehearse(
    transaction frame: FrameView, by session: SessionID, now: Instant
  ) throws(HubError) -> [ForwardedOperation] {
    var (operations, length): ([ForwardedOperation], Int) = ([], 0)
    try forEachOperation(of: frame) { (engine, operation, kind) throws(HubError) in
      operations.append(try engine.rehearse(operation, kind, by: session, now: now))
      length += operations[operations.count - 1].memory
      if length > engine.options.maximumFrameLength {
        throw HubError(.tooLarge, "the transaction is too long for its provider: split it")
      }
    }
    return operations
  }

  private mutating func rehearse(
    _ frame: FrameView, _ kind: WriteKind, by session: SessionID, now: Instant
  ) throws(HubError) -> ForwardedOperation {
    var reader = ByteReader(frame.payload)
    let key = StoreKey(reading: &reader)
    let found = reader.failed ? nil : stores.locate(key)
    let before = found.map { (revision: stores[$0].revision, version: stores[$0].version) }
    let outcome = try perform(kind, frame, by: session, now: now)
    let name = StoreName(checked: stores.name(of: outcome.slot))
    var operation = ForwardedOperation(
      kind, name, revision: before?.revision ?? 0, version: before?.version ?? 0,
      value: kind == .remove ? nil : stores.value(of: outcome.slot).value)
    if kind == .set, let command = SetCommand(frame) {
      operation.ttl = command.flags & SetCommand.Flag.ttl != 0 ? command.ttl : nil
      operation.isEphemeral = command.flags & SetCommand.Flag.ephemeral != 0
    }
    if kind == .create { operation.schema = stores.schema(of: outcome.slot) }
    return operation
  }
}

extension Stores {
  /// The name of the store that a write is about; nil: the audience may neither read nor write nor create it, so that the write is
  /// refused as one of a store without a claim.
  fileprivate func mayConcern(_ key: StoreKey, _ audience: AudienceIndex) -> ByteView? {
    if let slot = locate(key) {
      let isKnown = !rights(of: audience, to: slot).isDisjoint(with: [.read, .write])
      return isKnown || key.isReserved ? name(of: slot) : nil
    }
    if key.name.isEmpty { return nil }
    // A name that no store can have has no rule.
    let mayCreate =
      StoreName.problem(in: key.name) != nil
      || permissions.rights(of: audience, toNew: key.name).contains(.create)
    return mayCreate || key.isReserved ? key.name : nil
  }
}

extension StoreKey {
  /// It names one of the hub's own stores, existing or not.
  fileprivate var isReserved: Bool { HubEngine.ownNames.withByteView { name.hasPrefix($0) } }
}
