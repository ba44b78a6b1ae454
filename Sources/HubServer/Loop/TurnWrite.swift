// The turn's only write to the journal, and the replies that wait for it, or for the disk. If that fails, they report it
// instead of acknowledging what may not be stored.

import HubCore
import HubEngine

extension Exchange {
  /// The journal's current state; nil without a journal.
  private var journalStanding: JournalStanding? {
    guard let journal else { return nil }
    return JournalStanding(
      end: journal.state.end, durable: journal.worker.durable, confirms: journal.isWorking)
  }

  /// What happens by itself is not written: that must be noted before it is shown.
  var isJournalClosed: Bool { journal.map { !$0.isWorking } ?? false }

  // MARK: While requests are carried out

  /// Passes the session's replies of this step through the gate.
  mutating func passReplies(of descriptor: Int32) {
    defer { clearReplies() }
    if connections[descriptor].life.flow == .gone { return gate.endStep() }
    let standing = journalStanding
    switch gate.pass(replies.view, for: descriptor, &connections.slots[descriptor].waiting, standing) {
    case .maySend: connections.send(replies.view, to: descriptor, &engine)
    case .unconfirmed: sendUnconfirmed(replies.array, to: descriptor)
    case .waitsForDisk: journal?.hasten()
    case .waitsForWrite: break
    }
  }

  // MARK: The turn's write

  /// Writes what the turn has for the journal, and sends the replies that waited for it.
  @inline(__always)
  mutating func commit(_ turn: borrowing Turn) {
    guard let journal else { return }
    if !engine.isHandingOut {
      commit(turn, to: journal)
    } else if isGathering {
      // No further writes until everything is delivered, which may take long.
      journal.hasten()
      isGathering = false
    }
  }

  private mutating func commit(_ turn: borrowing Turn, to journal: Journal) {
    let isOverdue = engine.hasOutbox && journal.isOverdue(now: now)
    let isAwaited = isOverdue || gate.isTurnSynced
    if journal.commit(&engine, isAwaited: isAwaited, now: now) != nil {
      disavow()
    } else {
      let end = journal.state.end
      while let (descriptor, bytes) = gate.nextWritten(
        &connections.slots, end: end, isOverdue: isOverdue)
      {
        connections.send(bytes, to: descriptor, &engine)
        connections.noteReleased(descriptor)
      }
    }
    journal.gather(isAwaited: isAwaited, now: now)
    isGathering = journal.isGathering
    journal.step(&engine, now: now)
    writeNotes(of: journal)
  }

  private mutating func writeNotes(of journal: Journal) {
    if log.isDebugging { logSnapshots(of: journal) }
    for note in journal.notes.take() { log.write(note.level, note.id, note.text) }
  }

  // MARK: Failure

  /// Writes that were made or pending may not be stored: every session that waits for it gets its replies without acknowledgements.
  private mutating func disavow() {
    while let (descriptor, bytes) = gate.nextUnstored(&connections.slots) {
      withoutAcknowledgements(bytes)
      flushNow(to: descriptor)
      connections.noteReleased(descriptor)
    }
  }

  /// Copies the replies into `replies`, turning those to writes of persistent stores into errors.
  private mutating func withoutAcknowledgements(_ bytes: ByteView) {
    var frames = FrameCursor(bytes)
    while let frame = frames.next() {
      if Reply.promisesStorage(frame) {
        Reply.error(.unstored).encode(into: &replies, request: frame.request)
      } else {
        replies.append(frame.bytes)
      }
    }
  }

  /// The disk currently confirms nothing, with no known end.
  private mutating func sendUnconfirmed(_ bytes: [UInt8], to descriptor: Int32) {
    replies.clear()
    bytes.withByteView { withoutAcknowledgements($0) }
    connections.send(replies.view, to: descriptor, &engine)
  }

  // MARK: What the worker reports

  /// Sends the replies that waited for the disk, and continues what the worker has done.
  mutating func takeJournalReports() {
    guard let journal else { return }
    if journal.takeReports(&engine, now: now) != nil { disavow() }
    let durable = journal.worker.durable
    while let (descriptor, bytes) = gate.nextConfirmed(&connections.slots, durable: durable) {
      connections.send(bytes, to: descriptor, &engine)
      connections.noteReleased(descriptor)
    }
    reloading.diskAnswered()
    writeNotes(of: journal)
  }

  /// Syncs everything to the disk: nothing is kept from now on.
  mutating func finishJournal() {
    guard let journal else { return }
    journal.finish(&engine, now: now)
    writeNotes(of: journal)
  }
}
