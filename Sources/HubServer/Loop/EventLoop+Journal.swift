// A turn's one write to the journal, and what waits for it: replies go out when it is written, those to `synced` writes when
// it is on the disk. When it cannot be written, what the turn did is taken back and carried out again without it.

import Glibc
import HubCore

extension EventLoop {
  // MARK: While requests are carried out

  /// The session's replies of this step wait: for the turn's write, or behind others of its own that wait for the disk.
  mutating func holdReplies(of descriptor: Int32) {
    let hold = self.hold
    self.hold = []
    if sessions[descriptor].flow != .gone {
      // Nothing overtakes what waits for the turn's write already.
      if hold.contains(.awaitsJournal) || !turnReplies.isEmpty {
        turnReplies.append(replies.view, for: descriptor, isSynced: hold.contains(.awaitsDisk))
        sessions[descriptor].held += UInt32(replies.count)
      } else {
        queueUntilSynced(replies.view, for: descriptor)
      }
    }
    replies.clear(keeping: EventLoop.keptRepliesCapacity)
  }

  private mutating func queueUntilSynced(_ bytes: ByteView, for descriptor: Int32) {
    guard let end = journal?.state.end, let durable = journal?.worker.durable else { return }
    // A reply to a write that changed nothing: what it saw may be on the disk by now.
    if end <= durable, sessions[descriptor].held == 0 { return send(bytes, to: descriptor) }
    if journal?.isWorking == false { return sendUnconfirmed(bytes.array, to: descriptor) }
    syncQueue.append(bytes, for: descriptor, until: end)
    sessions[descriptor].held += UInt32(bytes.count)
    sessions[descriptor].awaitsDisk += 1
    if end > durable { journal?.hasten() }
  }

  // MARK: The turn's write

  /// Writes what the turn has to tell the journal, and sends the replies that waited for it.
  @inline(__always)
  mutating func commitTurn() {
    if !options.engine.journals { return }
    commitToJournal()
  }

  private mutating func commitToJournal() {
    if journal!.commit(&engine, isAwaited: turnReplies.isSynced, now: now) != nil {
      carryOutAgain()
    } else if !turnReplies.isEmpty {
      sendTurnReplies()
    }
    journal!.step(&engine, now: now)
    writeJournalNotes()
  }

  private mutating func writeJournalNotes() {
    if isDebugging { logSnapshots() }
    for note in journal!.notes.take() { log.write(note.level, note.id, note.text) }
  }

  private mutating func sendTurnReplies() {
    let end = journal!.state.end
    var offset = 0
    for index in turnReplies.steps.indices {
      let step = turnReplies.steps[index]
      let bytes = turnReplies.bytes.view.slice(offset, step.count)
      offset += step.count
      sessions[step.descriptor].held -= UInt32(step.count)
      if step.isSynced || sessions[step.descriptor].awaitsDisk > 0 {
        syncQueue.append(bytes, for: step.descriptor, until: end)
        sessions[step.descriptor].held += UInt32(step.count)
        sessions[step.descriptor].awaitsDisk += 1
      } else {
        send(bytes, to: step.descriptor)
        released(step.descriptor)
      }
    }
    turnReplies.clear()
  }

  /// Replies of the session wait no longer.
  private mutating func released(_ descriptor: Int32) {
    guard sessions[descriptor].held == 0 else { return }
    if sessions[descriptor].state == .finishing, sessions[descriptor].flow != .blocked { end(descriptor) }
    if sessions[descriptor].isHalted, !sessions[descriptor].isPaused {
      sessions[descriptor].isHalted = false
      markReady(descriptor)
    }
  }

  // MARK: Failure

  /// Carries out the turn's requests again, now that those that the journal has to know are refused.
  private mutating func carryOutAgain() {
    var turn = TurnReplies()
    swap(&turn, &turnReplies)
    for step in turn.steps { sessions[step.descriptor].held -= UInt32(step.count) }
    if let first = turn.steps.first, turn.prefix > 0 {
      send(turn.bytes.view.slice(0, min(turn.prefix, first.count)), to: first.descriptor)
    }
    var offset = 0
    for descriptor in turn.askers {
      guard case .frame(let frame) = reader.scan(turn.requests.view.suffix(from: offset)) else { break }
      offset += frame.bytes.count
      guard sessions[descriptor].state != .free else { continue }
      let receipt = engine.receive(frame, from: SessionID(raw: descriptor), now: now, into: &replies)
      hold.formUnion(receipt.intersection(.awaitsDisk))
      flushReplies(to: descriptor)
    }
    for step in turn.steps { released(step.descriptor) }
    turn.clear()
    swap(&turn, &turnReplies)
  }

  /// The disk did not confirm what was written: whoever waits for that is told.
  private mutating func disavow() {
    while let (entry, bytes) = syncQueue.next(durable: JournalPosition(raw: .max)) {
      if entry.descriptor >= 0 {
        withoutAcknowledgements(bytes)
        unqueue(entry)
        flushNow(to: entry.descriptor)
        released(entry.descriptor)
      }
      syncQueue.removeFirst()
    }
  }

  /// Puts the replies into `replies`, those to writes of `synced` stores as errors.
  private mutating func withoutAcknowledgements(_ bytes: ByteView) {
    let error = HubError(
      .durabilityUnknown,
      "the value is set, but the disk failed to confirm it: it may be lost with the machine")
    var rest = bytes
    while case .frame(let frame) = FrameReader(maximumLength: .max).scan(rest) {
      rest = rest.suffix(from: frame.bytes.count)
      if Reply.promisesSync(frame) {
        Reply.error(error).encode(into: &replies, request: frame.request)
      } else {
        replies.append(frame.bytes)
      }
    }
  }

  /// The disk confirms nothing now, and nobody knows when it will.
  private mutating func sendUnconfirmed(_ bytes: [UInt8], to descriptor: Int32) {
    replies.clear()
    bytes.withByteView { withoutAcknowledgements($0) }
    send(replies.view, to: descriptor)
  }

  private mutating func unqueue(_ entry: SyncQueue.Entry) {
    sessions[entry.descriptor].held -= UInt32(entry.count)
    sessions[entry.descriptor].awaitsDisk -= 1
  }

  // MARK: What the worker reports

  /// Sends the replies that waited for the disk, and goes on with what the worker has done.
  mutating func takeJournalReports() {
    if journal!.takeReports(&engine, now: now) != nil { disavow() }
    let durable = journal!.worker.durable
    while let (entry, bytes) = syncQueue.next(durable: durable) {
      if entry.descriptor >= 0 {
        unqueue(entry)
        send(bytes, to: entry.descriptor)
        released(entry.descriptor)
      }
      syncQueue.removeFirst()
    }
    writeJournalNotes()
  }

  /// When a turn has to be taken for the journal's sake.
  var journalDeadline: UInt64? {
    options.engine.journals ? journal!.retry : nil
  }

  mutating func finishJournal() {
    guard options.engine.journals else { return }
    journal!.finish(&engine, now: now)
    writeJournalNotes()
  }
}
