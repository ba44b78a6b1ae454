// Owns the undo log, the journal's outbox, and the numbers reserved in the journal.
//
// The engine's owner writes the outbox before any client sees a reply or an event. A session's write is refused before it changes
// anything, unless the journal has room reserved for it.

import HubCore

/// The pending records of a hub's turn.
///
/// Invariant: between turns the outbox is empty.
struct Ledger: ~Copyable {
  /// The owner of the engine keeps a journal.
  let journals: Bool
  var undo: UndoLog
  var outbox = JournalOutbox()

  /// - Parameter longestCopy: of a value that may have to come back; longer ones are kept where they are.
  init(journals: Bool, longestCopy: Int = 4 << 10) {
    self.journals = journals
    undo = UndoLog(longestCopy: max(longestCopy, ValueCell.inlineCapacity))
  }

  /// Replies and events must wait for the journal.
  @inline(__always) var awaitsJournal: Bool { !outbox.bytes.isEmpty }

  // MARK: Before a change

  /// Whether a session may change or create a store; if not, `refuse` gives the reason.
  ///
  /// - Parameters:
  ///   - isKept: the journal must hold what it writes.
  ///   - length: of the values and schemas in it.
  @inline(__always)
  func takes(_ length: Int, isKept: Bool) -> Bool {
    takesWrites && (!isKept || outbox.bytes.count &+ length <= outbox.room)
  }

  /// Whether the journal accepts writes.
  @inline(__always) var takesWrites: Bool { outbox.phase == .open }

  /// `takes` is false.
  ///
  /// - Throws: `storageFailed` if the journal takes nothing at the moment, or has no room reserved for it: then
  ///   `outbox.wanted` says how much it needs.
  mutating func refuse(
    _ name: ByteView, _ length: Int, isKept: Bool, _ revision: Revision, _ serial: UInt64
  ) throws(HubError) {
    if !takesWrites, isKept || !hasNumbers(revision, serial) {
      throw HubError(.storageFailed, store: name.text, outbox.problem ?? "")
    }
    if isKept {
      outbox.wanted = max(1, outbox.bytes.count + length)
      throw HubError(.storageFailed, store: name.text, "the journal has no room for it yet")
    }
  }

  // MARK: After a change

  /// The store's value has changed. Only with a journal.
  ///
  /// - Parameters:
  ///   - frame: the history's frame for it; nil: it was too long for the change log.
  ///   - end: where the frame ends there.
  mutating func tellChange(
    of slot: Int, _ frame: ByteView?, endingAt end: UInt64, _ stores: inout Stores, now: Instant
  ) {
    if stores[slot].durability == .volatile { return tellUnwritten(slot, &stores) }
    if isSilent() { return }
    if stores[slot].isStored, outbox.phase == .open, let frame {
      outbox.append(frame, endingAt: end)
    } else {
      outbox.write { stores.appendCreation(of: slot, to: &$0) }
    }
    stores[slot].isStored = true
    if stores[slot].ends { appendLifetime(of: slot, stores, now) }
  }

  /// The store's lifetime may have changed, but not its value.
  mutating func tellLifetime(of slot: Int, _ stores: inout Stores, now: Instant) {
    guard journals, stores[slot].durability != .volatile, !isSilent() else { return }
    if !stores[slot].isStored {
      outbox.write { stores.appendCreation(of: slot, to: &$0) }
      stores[slot].isStored = true
      if !stores[slot].ends { return }
    }
    appendLifetime(of: slot, stores, now)
  }

  private mutating func appendLifetime(of slot: Int, _ stores: borrowing Stores, _ now: Instant) {
    let record = stores[slot]
    outbox.append(.lifetime(record.id, revision: record.revision, record.keptLifetime(now: now)))
  }

  /// The store is removed. Only with a journal; the parameters as above.
  mutating func tellRemoval(
    of slot: Int, _ frame: ByteView?, endingAt end: UInt64, _ stores: inout Stores
  ) {
    if !stores[slot].isStored {
      if !outbox.hasToldUnwritten { tellUnwritten(slot, &stores) }
    } else if !isSilent(), let frame {
      outbox.append(frame, endingAt: end)
    }
  }

  /// The store is volatile: the journal does not get its value.
  mutating func tellUnwritten(_ slot: Int, _ stores: inout Stores) {
    if !outbox.hasToldUnwritten {
      outbox.hasToldUnwritten = true
      // The head of the next segment, if any, records it as well.
      if outbox.phase != .closed { outbox.append(.unwritten) }
    }
    let record = stores[slot]
    guard record.isStored, !isSilent() else { return }
    outbox.append(.unstored(record.id, revision: record.revision, version: record.version))
    stores[slot].isStored = false
  }

  /// Since when all clients may read everything.
  mutating func tellAccess(openFrom: Revision) {
    guard journals, openFrom != outbox.openFrom else { return }
    outbox.openFrom = openFrom
    if !isSilent() { outbox.append(.access(openFrom: openFrom)) }
  }

  /// A claim began, or has another offer or owner. A claim without an owner belongs to the configuration.
  mutating func tellClaim(_ claim: Claim) {
    guard journals, let owner = claim.owner, !isSilent() else { return }
    outbox.append(.claim(claim.offer, owner: owner))
  }

  /// A claim that had an owner was released.
  mutating func tellUnclaimed(_ name: StoreName) {
    if journals, !isSilent() { outbox.append(.unclaimed(name)) }
  }

  /// The journal failed: a snapshot will cover the hub's own changes in the meantime.
  private mutating func isSilent() -> Bool {
    if outbox.phase != .closed { return false }
    outbox.owesSnapshot = true
    return true
  }
}

extension StoreRecord {
  /// Its value ends by itself.
  @inline(__always) var ends: Bool { deadline != 0 || owner >= 0 }

  func keptLifetime(now: Instant) -> KeptLifetime {
    KeptLifetime(deadline: deadline, isEphemeral: owner >= 0, now: now)
  }
}

extension Stores {
  /// The store's current state as a `created` frame.
  func appendCreation(of slot: Int, to out: inout OutputBuffer, flags: UInt8 = 0) {
    let record = self[slot]
    let start = out.beginFrame(EventKind.created.rawValue, flags: flags)
    record.appendPrefix(to: &out)
    let name = name(of: slot)
    out.append(UInt8(name.count))
    out.append(name)
    out.append(schema(of: slot))
    out.append(self.value(of: slot))
    if record.creator != StoreRecord.byHub { out.append(record.creator) }
    out.endFrame(start)
  }
}
