// All or nothing: several writes under one revision, announced as one group, or taken back as if they had never been.

extension HubEngine {
  static let maximumOperations = 8192
  /// A frame to a client may be longer than the longest from one, by this much.
  static let outgoingExcess = 64 << 10

  mutating func transact(
    _ frame: FrameView, by session: SessionID, now: Instant, into replies: inout OutputBuffer
  ) throws(HubError) {
    let repliesBefore = replies.count
    let start = replies.beginFrame(.committed, request: frame.request)
    replies.append(Revision(0))
    begin(by: session)
    var index = 0
    do throws(HubError) {
      var rest = frame.payload
      let reader = FrameReader(maximumLength: .max)
      while !rest.isEmpty {
        guard case .frame(let operation) = reader.scan(rest) else { throw HubEngine.malformed(frame) }
        if index == HubEngine.maximumOperations {
          throw HubError(.tooLarge, "a transaction has at most \(HubEngine.maximumOperations) operations")
        }
        let outcome = try write(operation, operation.kind, by: session, now: now)
        append(outcome, request: 0, to: &replies)
        // What every client has to be able to take bounds also what the values of resets add up to.
        if replies.count - repliesBefore > options.maximumFrameLength + HubEngine.outgoingExcess {
          throw HubError(.tooLarge, "the answer to the transaction is too long: split it")
        }
        rest = rest.suffix(from: operation.bytes.count)
        index += 1
      }
    } catch {
      rollBack()
      replies.truncate(to: repliesBefore)
      var error = error
      error.operation = index
      throw error
    }
    commit()
    replies.patch(revision, at: start + Frame.headerLength)
    replies.endFrame(start)
  }

  /// - Parameter session: nil: what the hub does itself, which nothing takes back.
  mutating func begin(by session: SessionID?) {
    if options.journals, session != nil, undo.turn == nil { beginScope() }
    undo.beginTransaction(mark)
  }

  mutating func commit() {
    // Only now is it known which frame is the last, and whether there is more than one.
    if let last = undo.frames.last {
      let flags = undo.frames.count == 1 ? 0 : EventLayout.grouped
      log.setFlags(flags, ofFrameEndingAt: last.end, length: last.length)
      outbox.setFlags(flags, ofFrameEndingAt: last.end)
    }
    endTransaction()
  }

  private mutating func endTransaction() {
    let turnWrites = undo.turn.map { $0.outbox.count < outbox.bytes.count } ?? false
    if !turnWrites { finishRemovals() }
    undo.endTransaction()
    // A turn that has told the journal nothing yet has nothing to wait for.
    if !turnWrites, undo.turn != nil { endScope() }
  }

  /// Gives back the slots of stores that have gone for good.
  mutating func finishRemovals() {
    for index in undo.entries.indices where undo.entries[index].kind == .removed {
      finishRemoval(undo.entries[index].slot)
    }
  }

  mutating func rollBack() {
    let mark = undo.transaction!
    rollBack(to: mark)
    revision = mark.revision
    endTransaction()
  }

  /// Takes back everything since the mark, except for the revisions that it took.
  mutating func rollBack(to mark: UndoLog.Mark) {
    for index in (mark.entries..<undo.entries.count).reversed() {
      let entry = undo.entries[index]
      let slot = entry.slot
      switch entry.kind {
      case .changed:
        patterns.rewind(stores[slot], to: mark.head)
        restore(entry.saved, to: slot)
      case .created:
        patterns.rewind(stores[slot], to: mark.head)
        clearLifetime(of: slot)
        patterns.dismiss(slot, stores: &stores)
        stores.unlink(slot)
        finishRemoval(slot)
      case .removed:
        restore(entry.saved, to: slot)
        stores.link(slot)
        patterns.admit(slot, stores: &stores)
        patterns.rewind(stores[slot], to: mark.head)
      }
    }
    undo.truncate(to: mark)
    removals.rewind(to: mark.head)
    log.rewind(to: mark.head, revision: mark.revision)
    outbox.truncate(to: mark.outbox)
    turnSlot = mark.turnSlot
    turnHasGroup = mark.turnHasGroup
  }

  private mutating func restore(_ saved: StoreTable.Saved, to slot: Int) {
    let deadline = stores[slot].deadline
    stores.restore(saved, value: undo.value(of: saved), schema: undo.schema(of: saved), to: slot)
    // Its old deadline still waits where it was: nothing leaves the heap during a transaction.
    lifetimes.live += (stores[slot].deadline != 0 ? 1 : 0) - (deadline != 0 ? 1 : 0)
  }
}
