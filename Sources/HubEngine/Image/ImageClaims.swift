// Claims and their tickets in an image: providers and waiting writers do not notice a hand-off.

import HubCore

extension Claims {
  func write(to image: inout ImageWriter) {
    if isEmpty { return }
    for claim in all {
      image.frame(ImageKind.claim.rawValue) {
        claim.write(to: &$0, lastTicket: lastTicket, lastNumber)
      }
      for ticket in claim.forwarded {
        image.frame(ImageKind.ticket.rawValue) { ticket.write(to: &$0, .forwarded) }
      }
      for ticket in claim.waiting.all + claim.ends.all {
        image.frame(ImageKind.ticket.rawValue) { ticket.write(to: &$0, .waiting) }
      }
    }
    for late in late {
      image.frame(ImageKind.ticket.rawValue) { out in
        late.ticket.write(to: &out, .late)
        out.append(late.session.raw)
        out.append(late.claim)
      }
    }
    for queued in queue {
      image.frame(ImageKind.queuedOffer.rawValue) { out in
        out.append(queued.session.raw)
        ProvideCommand.encode(queued.offer, queued.request, into: &out)
      }
    }
  }
}

extension Claim {
  private enum Flag {
    static let declared: UInt8 = 1 << 0
    static let watched: UInt8 = 1 << 1
  }

  fileprivate func write(to out: inout OutputBuffer, lastTicket: UInt64, _ lastNumber: UInt32) {
    out.append(lastTicket)
    out.append(lastNumber)
    out.append(number)
    out.append(session?.raw ?? -1)
    out.append(owner == nil ? 0 : 1 as UInt8)
    out.append(owner ?? 0)
    out.append(state.number)
    if case .suspended(let reason) = state { out.append(medium: reason) } else { out.append(medium: "") }
    out.append(staleSince ?? .min)
    out.append((isDeclared ? Flag.declared : 0) | (isWatched ? Flag.watched : 0))
    out.append(interval)
    out.append(UInt8(clamping: misses))
    ProvideCommand.encode(offer, 0, into: &out)
  }

  fileprivate init?(_ reader: inout ByteReader, renumber: (Int32) -> Int32) {
    let (number, session) = (reader.integer(UInt32.self), reader.integer(Int32.self))
    let (hasOwner, owner) = (reader.integer(UInt8.self) != 0, reader.integer(UInt32.self))
    let (state, reason) = (reader.integer(UInt8.self), reader.mediumBytes().text)
    let (since, flags) = (reader.integer(Int64.self), reader.integer(UInt8.self))
    let interval = reader.integer(UInt32.self)
    let misses = Int(reader.integer(UInt8.self))
    guard !reader.failed, let offer = ClaimOffer(framed: &reader),
      ClaimOffer.problem(in: offer.patterns) == nil,
      let state = ClaimState(number: state, reason: reason), (session < 0) == (state == .vacant)
    else { return nil }
    self.init(number, offer)
    (self.session, self.owner) = (
      session < 0 ? nil : SessionID(raw: renumber(session)), hasOwner ? owner : nil
    )
    (isDeclared, isWatched) = (flags & Flag.declared != 0, flags & Flag.watched != 0)
    (self.interval, self.misses) = (interval, misses)
    restore(state, staleSince: since == .min ? nil : since)
  }
}

extension ClaimState {
  fileprivate var number: UInt8 {
    switch self {
    case .vacant: 0
    case .syncing: 1
    case .live: 2
    case .suspended: 3
    case .silent: 4
    }
  }

  fileprivate init?(number: UInt8, reason: String) {
    switch number {
    case 0: self = .vacant
    case 1: self = .syncing
    case 2: self = .live
    case 3: self = .suspended(reason: reason)
    case 4: self = .silent
    default: return nil
    }
  }
}

extension ClaimOffer {
  /// From the complete frame of its request.
  init?(framed reader: inout ByteReader) {
    var frames = FrameCursor(reader.rest())
    guard let frame = frames.next(), let command = ProvideCommand(frame), let offer = try? command.offer()
    else {
      return nil
    }
    self = offer
  }
}

extension Ticket {
  fileprivate enum Place: UInt8 {
    case waiting = 0
    case forwarded = 1
    /// It has expired.
    case late = 2
  }

  fileprivate func write(to out: inout OutputBuffer, _ place: Place) {
    out.append(number)
    out.append(place.rawValue)
    out.append(session?.raw ?? -1)
    out.append(request)
    out.append(writer.pid)
    out.append(writer.uid)
    out.append(writer.gid)
    out.append(short: client)
    out.append(deadline)
    out.append(isTransaction ? 1 : 0 as UInt8)
    out.append(UInt32(operations.count))
    for operation in operations { operation.append(to: &out) }
    out.append(UInt32(frame.count))
    out.append(frame)
    out.append(short: readStore?.text ?? "")
    out.append(UInt32(readers.count))
    for reader in readers {
      out.append(reader.session.raw)
      out.append(UInt32(clamping: reader.memory))
      out.append(UInt32(reader.frame.count))
      out.append(reader.frame)
    }
  }

  fileprivate init?(_ reader: inout ByteReader, place: inout Place, renumber: (Int32) -> Int32) {
    let number = reader.integer(UInt64.self)
    guard let found = Place(rawValue: reader.integer()) else { return nil }
    place = found
    let (session, request) = (reader.integer(Int32.self), reader.integer(UInt32.self))
    let writer = Peer(pid: reader.integer(), uid: reader.integer(), gid: reader.integer())
    let (client, deadline) = (reader.shortBytes().text, reader.integer(UInt64.self))
    let isTransaction = reader.integer(UInt8.self) != 0
    var operations: [ForwardedOperation] = []
    for _ in 0..<reader.integer(UInt32.self) {
      guard let operation = ForwardedOperation(reading: &reader) else { return nil }
      operations.append(operation)
    }
    let frame = reader.bytes(Int(reader.integer(UInt32.self))).array
    let store = reader.shortBytes()
    var readers: [Reader] = []
    for _ in 0..<reader.integer(UInt32.self) {
      let session = SessionID(raw: renumber(reader.integer()))
      let memory = Int(reader.integer(UInt32.self))
      let frame = reader.bytes(Int(reader.integer(UInt32.self))).array
      guard !reader.failed, frame.withByteView({ Ticket.isOneFrame($0) }) else { return nil }
      readers.append(Reader(session: session, frame: frame, memory: memory))
    }
    guard !reader.failed else { return nil }
    if store.count > 0 {
      guard StoreName.problem(in: store) == nil, deadline != .max, operations.isEmpty else { return nil }
      self.init(number, reading: StoreName(checked: store), by: nil, until: deadline)
      for reader in readers { add(reader) }
      return
    }
    self.init(
      number: number, session: session < 0 ? nil : SessionID(raw: renumber(session)), request: request,
      writer: writer, payer: writer.uid, client: client, frame: frame, deadline: deadline,
      operations: operations, evaluated: .max, isTransaction: isTransaction)
    guard readers.isEmpty, !operations.isEmpty, frame.isEmpty == isEnd else { return nil }
    if !isEnd, !frame.withByteView({ Ticket.isOneFrame($0) }) { return nil }
  }

  /// It is read as a frame again when it is evaluated again.
  private static func isOneFrame(_ bytes: ByteView) -> Bool {
    var frames = FrameCursor(bytes)
    return frames.next() != nil && frames.isAtEnd
  }
}

extension EngineBuilder {
  mutating func takeClaim(_ reader: inout ByteReader) throws(ImageError) {
    engine.claims.lastTicket = reader.integer()
    engine.claims.lastNumber = reader.integer()
    guard let claim = Claim(&reader, renumber: renumber), engine.claims.place(named: claim.offer.name) == nil,
      engine.claims.all.count < Claims.most, isOpen(claim.session), claim.number > 0,
      engine.claims.place(numbered: claim.number) == nil,
      engine.claims.overlap(with: claim.offer.patterns, besides: nil, &engine.work) == nil
    else { throw EngineBuilder.damaged }
    _ = engine.claims.add(claim)
    (engine.attention.hasClaims, engine.claims.mayForward) = (true, true)
  }

  mutating func takeTicket(_ reader: inout ByteReader) throws(ImageError) {
    let last = engine.claims.all.count - 1
    var place = Ticket.Place.waiting
    guard last >= 0, var ticket = Ticket(&reader, place: &place, renumber: renumber),
      ticket.number <= engine.claims.lastTicket, isOpen(ticket.session),
      ticket.readers.allSatisfy({ isOpen($0.session) })
    else { throw EngineBuilder.damaged }
    if ticket.isEnd, let store = ticket.store, let slot = engine.stores.find(store) {
      ticket.payer = engine.stores[slot].uid
    }
    if place == .late {
      let session = SessionID(raw: renumber(reader.integer()))
      guard isOpen(session) else { throw EngineBuilder.damaged }
      return engine.keepLate(ticket, of: session, reader.integer())
    }
    engine.stores.accounts.add(ticket.charge)
    for reader in ticket.readers {
      engine.stores.accounts.add(engine.feed.charge(reader.memory, of: reader.session))
    }
    engine.claims.note(deadline: ticket.deadline, at: last)
    switch place {
    case .forwarded: engine.claims.all[last].forward(ticket)
    case .waiting, .late: engine.claims.all[last].add(ticket)
    }
  }

  mutating func takeQueuedOffer(_ reader: inout ByteReader) throws(ImageError) {
    let session = SessionID(raw: renumber(reader.integer()))
    var frames = FrameCursor(reader.rest())
    guard let frame = frames.next(), let offer = try? ProvideCommand(frame)?.offer(), isOpen(session),
      engine.claims.queue.count < Claims.mostQueued
    else { throw EngineBuilder.damaged }
    engine.claims.queue.append(Claims.QueuedOffer(session: session, request: frame.request, offer: offer))
    engine.claims.noteFree()
    engine.attention.hasClaims = true
  }

  private func isOpen(_ session: SessionID?) -> Bool {
    session.map { $0.raw >= 0 && engine.feed.sessions.isOpen($0) } ?? true
  }
}
