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
    begin()
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

  mutating func begin() {
    undo.begin(
      UndoLog.Before(
        head: log.head, revision: revision, turnSlot: turnSlot, turnHasGroup: turnHasGroup))
  }

  mutating func commit() {
    // Only now is it known which frame is the last, and whether there is more than one.
    if let last = undo.frames.last {
      log.setFlags(
        undo.frames.count == 1 ? 0 : EventLayout.grouped, ofFrameEndingAt: last.end, length: last.length)
    }
    for case .removed(let slot, _) in undo.entries { finishRemoval(slot) }
    undo.end()
  }

  mutating func rollBack() {
    let before = undo.before
    for entry in undo.entries.reversed() {
      switch entry {
      case .changed(let slot, let saved):
        patterns.rewind(stores[slot], to: before.head)
        restore(saved, to: slot)
      case .created(let slot):
        patterns.rewind(stores[slot], to: before.head)
        clearLifetime(of: slot)
        patterns.dismiss(slot, stores: &stores)
        stores.unlink(slot)
        finishRemoval(slot)
      case .removed(let slot, let saved):
        restore(saved, to: slot)
        stores.link(slot)
        patterns.admit(slot, stores: &stores)
        patterns.rewind(stores[slot], to: before.head)
      }
    }
    removals.rewind(to: before.head)
    log.rewind(to: before.head)
    revision = before.revision
    turnSlot = before.turnSlot
    turnHasGroup = before.turnHasGroup
    undo.end()
  }

  private mutating func restore(_ saved: StoreTable.Saved, to slot: Int) {
    let deadline = stores[slot].deadline
    stores.restore(saved, to: slot)
    // Its old deadline still waits where it was: nothing leaves the heap during a transaction.
    lifetimes.live += (stores[slot].deadline != 0 ? 1 : 0) - (deadline != 0 ? 1 : 0)
  }
}
