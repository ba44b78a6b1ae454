// The hub's events: each with its number and its frame. `Events` has the layouts of those about stores.

@usableFromInline package enum EventKind: UInt8, Sendable, CaseIterable {
  case change = 0x40
  case created = 0x41
  case removed = 0x42
  case current = 0x43
  case synced = 0x44
  case resumed = 0x45
  case forget = 0x46
  case ended = 0x47
  case forward = 0x48
  case withdraw = 0x49
  case ask = 0x4A

  /// Whether it reports a change: such frames make up the change log and the journal.
  package var isChange: Bool {
    switch self {
    case .change, .created, .removed: true
    case .current, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask: false
    }
  }
}

/// Why the hub ended a session.
public enum EndReason: UInt16, Hashable, Sendable {
  /// The daemon is stopping. Another may start.
  case shuttingDown = 1
  /// The client left too much unread while the hub was short of memory.
  case notReading = 2
  /// The byte stream was not valid.
  case protocolError = 3
  /// The watches of the client's user take more memory than allowed, because they now match more stores.
  case quota = 4
}

/// One event on a connection. It concerns every watch of that connection that matches the store.
public enum HubEvent: Hashable, Sendable {
  /// A store has a new value. `grouped`: it is part of a transaction that changed more than one store;
  /// `more`: further frames of the same transaction follow.
  case change(StoreState, grouped: Bool, more: Bool)
  /// A store was created, or has a new schema. For watches with `schemas` it also replaces `current`; `transient` then
  /// means that the value is temporary, because it has a time to live or is ephemeral.
  indirect case created(
    name: String, Schema, StoreState, grouped: Bool = false, more: Bool = false, transient: Bool = false)
  /// A store was removed. The event has the user, the time and the revision, but no value.
  case removed(name: String, Removal, grouped: Bool, more: Bool)
  /// A store's current value, with its name: part of a snapshot, or of catching up.
  case current(name: String, StoreState)
  /// Everything sent so far is the hub's state (of the watched stores) at exactly this revision.
  case synced(revision: Revision)
  /// The watch continues at its bookmark: the changes since follow.
  case resumed(revision: Revision)
  /// Forget everything sent before: a full snapshot follows.
  case forget(Epoch, revision: Revision)
  case ended(EndReason?, message: String)
  /// To a provider: a write to decide on.
  indirect case forward(ForwardedWrite)
  /// To a provider: the decision is no longer needed; with ticket 0, the provider no longer has the claim with that
  /// number.
  case withdraw(ticket: UInt64, claim: UInt32, WithdrawReason?)
  /// To a provider that answers reads: a read to decide on.
  indirect case ask(ForwardedRead)
}

extension HubEvent {
  package func encode(into out: inout OutputBuffer) {
    switch self {
    case .change(let state, let grouped, let more):
      out.frame(EventKind.change.rawValue, flags: EventLayout.flags(grouped, more)) { $0.append(state) }
    case .created(let name, let schema, let state, let grouped, let more, let transient):
      let flags = EventLayout.flags(grouped, more) | (transient ? EventLayout.transient : 0)
      out.frame(EventKind.created.rawValue, flags: flags) { $0.appendCreation(name, schema, state) }
    case .removed(let name, let removal, let grouped, let more):
      let flags = EventLayout.flags(grouped, more) | (removal.isWithdrawn ? EventLayout.withdrawn : 0)
      out.frame(EventKind.removed.rawValue, flags: flags) { out in
        out.append(removal)
        out.append(short: name)
      }
    case .current(let name, let state):
      out.frame(EventKind.current.rawValue, flags: EventLayout.flags(state.silence)) { out in
        out.appendPrefix(of: state)
        out.append(short: name)
        out.append(state.value)
      }
    case .synced(let revision): out.frame(EventKind.synced.rawValue) { $0.append(revision) }
    case .resumed(let revision): out.frame(EventKind.resumed.rawValue) { $0.append(revision) }
    case .forget(let epoch, let revision):
      out.frame(EventKind.forget.rawValue) { out in
        out.append(epoch)
        out.append(revision)
      }
    case .ended(let reason, let message):
      out.frame(EventKind.ended.rawValue) { out in
        out.append(reason?.rawValue ?? 0)
        out.append(medium: message)
      }
    case .forward(let write): write.encode(into: &out)
    case .withdraw(let ticket, let claim, let reason):
      out.frame(EventKind.withdraw.rawValue) { out in
        out.append(ticket)
        out.append(claim)
        out.append(reason?.rawValue ?? 0)
      }
    case .ask(let read): read.encode(into: &out)
    }
  }

  /// - Throws: `HubError` with `malformed` or `unknownKind`.
  package init(decoding frame: FrameView) throws(HubError) {
    guard let kind = EventKind(rawValue: frame.rawKind) else {
      throw HubError(.unknownKind, "kind \(frame.rawKind) is not an event of this version")
    }
    var reader = ByteReader(frame.payload)
    guard let event = HubEvent(kind, flags: frame.flags, reading: &reader), !reader.failed else {
      throw .malformed(frame)
    }
    self = event
  }

  /// Leaves the reader after the known fields.
  package init?(_ kind: EventKind, flags: UInt8, reading reader: inout ByteReader) {
    let grouped = flags & EventLayout.grouped != 0
    let more = flags & EventLayout.more != 0
    switch kind {
    case .change:
      guard let state = StoreState(reading: &reader) else { return nil }
      self = .change(state, grouped: grouped, more: more)
    case .created:
      guard let change = Removal(reading: &reader) else { return nil }
      let name = reader.shortBytes().text
      guard let schema = reader.schema(), let value = ValueView(reading: &reader) else { return nil }
      self = .created(
        name: name, schema, change.state(value.value), grouped: grouped, more: more,
        transient: flags & EventLayout.transient != 0)
    case .removed:
      guard var removal = Removal(reading: &reader) else { return nil }
      removal.isWithdrawn = flags & EventLayout.withdrawn != 0
      self = .removed(name: reader.shortBytes().text, removal, grouped: grouped, more: more)
    case .current:
      guard let change = Removal(reading: &reader) else { return nil }
      let name = reader.shortBytes().text
      guard let value = ValueView(reading: &reader) else { return nil }
      var state = change.state(value.value)
      state.silence = EventLayout.silence(flags)
      self = .current(name: name, state)
    case .synced: self = .synced(revision: reader.integer())
    case .resumed: self = .resumed(revision: reader.integer())
    case .forget:
      let epoch = reader.epoch()
      self = .forget(epoch, revision: reader.integer())
    case .ended:
      let reason = EndReason(rawValue: reader.integer())
      self = .ended(reason, message: reader.mediumBytes().text)
    case .forward:
      guard let write = ForwardedWrite(flags: flags, reading: &reader) else { return nil }
      self = .forward(write)
    case .withdraw:
      let (ticket, claim) = (reader.integer(UInt64.self), reader.integer(UInt32.self))
      self = .withdraw(ticket: ticket, claim: claim, WithdrawReason(rawValue: reader.integer()))
    case .ask:
      guard let read = ForwardedRead(reading: &reader) else { return nil }
      self = .ask(read)
    }
  }
}
