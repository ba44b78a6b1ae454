// Transactions: several writes under one revision, announced as one group, or undone as if they had never happened.

import HubCore

extension HubEngine {
  /// A frame to a client may be longer than the longest from one, by this much.
  static let outgoingExcess = 64 << 10

  /// - Returns: what the reply waits for.
  mutating func transact(
    _ frame: FrameView, by session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) throws(HubError) -> Receipt {
    var receipt: Receipt = []
    let repliesBefore = replies.count
    let start = replies.beginFrame(ReplyKind.committed.rawValue, request: frame.request)
    replies.append(Revision(0))
    begin()
    do throws(HubError) {
      try forEachOperation(of: frame) { (engine, operation, kind) throws(HubError) in
        receipt.formUnion(
          try engine.write(operation, kind, by: session, now: now, request: 0, into: &replies))
        // The longest frame that every client must accept also limits the sum of reset values.
        if replies.count - repliesBefore > engine.options.maximumFrameLength + HubEngine.outgoingExcess {
          throw HubError(.tooLarge, "the transaction's reply is too long: split the transaction")
        }
      }
    } catch {
      rollBack()
      replies.truncate(to: repliesBefore)
      throw error
    }
    commit()
    replies.patch(history.revision, CommittedLayout.revision, from: start)
    replies.endFrame(start)
    return receipt
  }

  /// Executes a transaction's operations in their order; an error names the failing one.
  @inline(__always)
  mutating func forEachOperation(
    of frame: FrameView, _ carryOut: (inout HubEngine, FrameView, WriteKind) throws(HubError) -> Void
  ) throws(HubError) {
    var operations = TransactionCommand(frame).operations
    var index = 0
    do throws(HubError) {
      while let operation = operations.next() {
        if index == WriteOperation.mostInTransaction {
          throw HubError(
            .tooLarge, "a transaction can have at most \(WriteOperation.mostInTransaction) operations")
        }
        guard let kind = WriteKind(rawValue: operation.rawKind) else {
          throw HubError(.unknownKind, "kind \(operation.rawKind) is not a write")
        }
        work &+= Cost.request
        try carryOut(&self, operation, kind)
        try ledger.undo.checkNoting()
        index += 1
      }
      guard operations.isAtEnd else { throw HubError.malformed(frame) }
    } catch {
      var error = error
      error.operation = index
      throw error
    }
  }

  mutating func begin() {
    ledger.undo.begin(
      UndoLog.Savepoint(
        head: history.log.head, revision: history.revision, turnSlot: history.turn.slot,
        turnHasGroup: history.turn.hasGroup, outbox: ledger.outbox.savepoint, pending: feed.pending.count))
  }

  mutating func commit() {
    // Which frame is the last, and whether there are several, is known only now.
    if let last = ledger.undo.frames.last {
      let flags = ledger.undo.frames.count == 1 ? 0 : EventLayout.grouped
      history.log.setFlags(flags, ofFrameEndingAt: last.end, length: last.length)
      ledger.outbox.setFlags(flags, ofFrameEndingAt: last.end)
    }
    ledger.undo.end(&stores)
  }

  /// Undoes the transaction, with the revision that it took.
  mutating func rollBack() {
    let savepoint = ledger.undo.transaction!
    work &+= Cost.request &* ledger.undo.entries.count
    for index in ledger.undo.entries.indices.reversed() {
      let entry = ledger.undo.entries[index]
      let slot = entry.slot
      switch entry.kind {
      case .changed: undo(slot, to: entry.saved)
      case .created:
        stores.clearLifetime(of: slot)
        stores.unlink(slot)
        stores.free(slot)
      case .removed:
        undo(slot, to: entry.saved)
        stores.link(slot)
      }
    }
    feed.dropPending(but: savepoint.pending)
    ledger.outbox.truncate(to: savepoint.outbox)
    history.rewind(to: savepoint)
    history.revision = savepoint.revision
    ledger.undo.end(&stores)
  }

  private mutating func undo(_ slot: Int, to saved: StoreTable.Saved) {
    let schema = ledger.undo.schema(of: saved)
    if let schema { work &+= Cost.choice &* schema.choices.count }
    stores.undo(slot, to: saved, value: ledger.undo.value(of: saved), schema: schema)
  }
}
