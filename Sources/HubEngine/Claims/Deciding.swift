// The request `decide`: accepted writes take effect in the writer's name. The writer gets its reply when the turn is in
// the journal (`Dealing`).

import HubCore

extension HubEngine {
  mutating func decide(
    _ frame: FrameView, by session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = DecideCommand(frame) else { throw HubError.malformed(frame) }
    // Includes the reply to the writer, at the end of the turn.
    work &+= Cost.request &+ Cost.passed &* claims.all.count
    guard
      let place = claims.all.firstIndex(where: {
        $0.session == session && $0.forwarded(command.ticket) != nil
      }), let ticket = claims.all[place].forwarded(command.ticket)
    else {
      return try decideLate(command, by: session, now: now, request: frame.request, into: &replies)
    }
    let outcome: Ticket.Outcome
    switch command.verdict {
    case _ where ticket.isRead:
      outcome = try self.outcome(ofRead: ticket, command)
      work &+= Cost.request &* ticket.readers.count &+ Cost.bytes(ticket.memory)
    case .accept, .acceptOther:
      do throws(HubError) {
        outcome = try carryOut(
          ticket, command.verdict == .acceptOther ? command.values : nil, by: session, now: now)
      } catch {
        if error.code == .malformed || lacksRoom(error) { throw error }
        claims.all[place].decide(ticket.number, .error(HubEngine.fate(of: error), to: ticket))
        claims.hasOutcomes = true
        throw error
      }
    case .taken: outcome = takenOutcome(of: ticket)
    case .refuse: outcome = .error(HubError(command.code, store: ticket.store, command.message), to: ticket)
    case .again: outcome = .again
    }
    claims.all[place].decide(ticket.number, outcome)
    claims.hasOutcomes = true
    Reply.decided(counted: true, revision: history.revision).encode(into: &replies, request: frame.request)
  }

  /// The writer's reply if a write that the provider accepted cannot take effect.
  private static func fate(of error: HubError) -> HubError {
    switch error.code {
    case .storageFailed, .quota:
      HubError(
        .unanswered, store: error.store,
        "the provider accepted it, but the hub cannot store the value: \(error.message)")
    case .noSuchStore: error
    default:
      HubError(
        .refused, store: error.store,
        "the provider decided on a value that the store does not accept: \(error.message)")
    }
  }

  /// No writer waits for the decision any more, or it was already made. A late acceptance still takes effect.
  private mutating func decideLate(
    _ command: DecideCommand, by session: SessionID, now: Instant, request: UInt32,
    into replies: inout OutputBuffer
  ) throws(HubError) {
    guard command.ticket > 0, command.ticket <= claims.lastTicket else {
      throw HubError(.malformed, "no pending write has the ticket \(command.ticket)")
    }
    if let index = claims.late.firstIndex(where: {
      $0.ticket.number == command.ticket && $0.session == session
    }) {
      let ticket = claims.late[index].ticket
      switch command.verdict {
      case _ where ticket.isRead: break
      case .accept, .acceptOther:
        _ = try carryOut(
          ticket, command.verdict == .acceptOther ? command.values : nil, by: session, now: now)
      case .taken, .refuse, .again: break
      }
      claims.late[index].isDone = true
      claims.hasOutcomes = true
    }
    Reply.decided(counted: false, revision: history.revision).encode(into: &replies, request: request)
  }

  /// Applies a ticket's values, in the name of its writer.
  private mutating func carryOut(
    _ ticket: Ticket, _ values: [ValueView]?, by provider: SessionID, now: Instant
  ) throws(HubError) -> Ticket.Outcome {
    work &+= Cost.request &* ticket.operations.count &+ Cost.bytes(ticket.memory)
    var operations = ticket.operations
    if let values {
      let places = operations.indices.filter { operations[$0].takesOtherValue }
      guard values.count == places.count else {
        throw HubError(
          .malformed,
          "the ticket has \(places.count) operations with a value; the decision has \(values.count)")
      }
      for (place, value) in zip(places, values) { operations[place].value = try value.checked() }
    }
    let acting = ticket.session ?? provider
    let own = feed.sessions.lend(acting, to: ticket.writer)
    defer { feed.sessions.restore(own, of: acting) }
    var reply = OutputBuffer()
    let start =
      ticket.isTransaction ? reply.beginFrame(ReplyKind.committed.rawValue, request: ticket.request) : 0
    if ticket.isTransaction { reply.append(Revision(0)) }
    var isSynced = false
    begin()
    do throws(HubError) {
      for (index, operation) in operations.enumerated() {
        do throws(HubError) {
          var outcome = try apply(operation, isGone: ticket.session == nil, by: acting, now: now)
          outcome.showsValue = operation.kind != .set && operation.takesOtherValue || values != nil
          append(outcome, request: ticket.isTransaction ? 0 : ticket.request, to: &reply)
          if outcome.isSynced { isSynced = true }
        } catch {
          var error = error
          error.operation = index
          throw error
        }
      }
    } catch {
      rollBack()
      throw error
    }
    commit()
    if ticket.isTransaction {
      reply.patch(history.revision, CommittedLayout.revision, from: start)
      reply.endFrame(start)
    }
    return .reply(reply.array, isSynced: isSynced)
  }

  /// - Parameter isGone: the writer is gone, and so is an ephemeral value.
  private mutating func apply(
    _ operation: ForwardedOperation, isGone: Bool, by session: SessionID, now: Instant
  ) throws(HubError) -> WriteOutcome {
    switch operation.kind {
    case .add, .toggle, .reset:
      guard let slot = stores.find(operation.name.text) else {
        throw HubError(.noSuchStore, store: operation.name.text, "the store was removed in the meantime")
      }
      guard let value = operation.value?.converted(to: stores[slot].type) else {
        throw HubError(
          .typeMismatch, store: operation.name.text,
          "the store's type is \(stores[slot].type), but the decision's value has another type")
      }
      return try replace(
        slot, value.bytes, by: session, now: now, keepsLifetime: operation.kind != .reset)
    case .set, .remove, .create:
      var frame = OutputBuffer()
      operation.write(isGone: isGone).encode(into: &frame, id: 0)
      return try perform(operation.kind, FrameView(bytes: frame.view), by: session, now: now)
    }
  }

  private mutating func takenOutcome(of ticket: Ticket) -> Ticket.Outcome {
    let results = ticket.operations.map { operation in
      let slot = stores.find(operation.name.text)
      return WriteResult(
        id: slot.map { stores[$0].id } ?? StoreID(raw: 0), revision: slot.map { stores[$0].revision } ?? 0,
        version: slot.map { stores[$0].version } ?? 0, changed: false,
        durability: slot.map { stores[$0].durability } ?? .volatile, isTaken: true)
    }
    let reply =
      ticket.isTransaction ? Reply.committed(revision: history.revision, results) : Reply.written(results[0])
    return .reply(reply.frame(request: ticket.request))
  }
}

extension Ticket.Outcome {
  static func error(_ error: HubError, to ticket: Ticket) -> Self {
    .reply(Reply.error(error).frame(request: ticket.request))
  }
}

extension ForwardedOperation {
  /// The operation as an ordinary write without conditions.
  fileprivate func write(isGone: Bool) -> WriteOperation {
    switch kind {
    case .remove: .remove(.name(name))
    case .create: .create(name, schema ?? Schema(type: value?.type ?? .json))
    case .set, .add, .toggle, .reset:
      .set(
        .name(name), value ?? .integer(0), lifetime: Lifetime(ttl: ttl, ephemeral: isEphemeral && !isGone))
    }
  }
}
