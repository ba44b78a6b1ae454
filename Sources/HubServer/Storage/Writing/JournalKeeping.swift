// The journal and the engine together: a turn's write, the disk's answers, and when to retry what failed. It has no
// sessions: the loop handles replies.

import HubCore
import HubEngine
import HubSystem

extension Journal {
  // MARK: A turn

  /// Before the turn's requests are executed: refuses those that must be stored if they cannot be.
  func check(_ engine: inout HubEngine, now: Instant) {
    if let failure = lostDirectory(now: now), !engine.hasOutbox { lost(&engine, failure, now: now) }
  }

  /// Writes the turn's outbox as one record, and makes room for the next. If writing fails, the engine takes no writes to persistent
  /// stores until a complete snapshot is on the disk.
  ///
  /// - Parameter isAwaited: a reply waits for it to be on the disk.
  /// - Returns: why it could not be written: it is in effect, but may not survive.
  func commit(_ engine: inout HubEngine, isAwaited: Bool, now: Instant) -> StorageFailure? {
    engine.reserveAhead()
    if engine.hasOutbox {
      do throws(StorageFailure) {
        try append(engine.outboxBytes, isAwaited: isAwaited, now: now)
      } catch {
        fail(&engine, error, now: now)
        return error
      }
    }
    engine.journalWritten()
    if isWorking {
      makeRoom(&engine, now: now)
    } else if engine.owesSnapshot, unbegun == nil {
      // Changes that the hub makes by itself are visible, but missing in the journal.
      note?.giveUp()
    }
    return nil
  }

  private func makeRoom(_ engine: inout HubEngine, now: Instant) {
    if let failure = makeRoom(engine.wantedRoom) {
      notes.writingFails(failure, Journal.refusal)
      engine.closeJournal(
        "the hub cannot \(failure): nothing was changed; persistent writes are refused until it can",
        needsSnapshot: false)
      health = .failing(retry: now.boot + Journal.retryDelay)
    }
    engine.setRoom(room)
  }

  static let refusal = "writes to persistent stores are refused until a retry succeeds"
  static let unknown =
    "what was written in the last second may be lost if the machine fails; a new journal is started"

  /// What a refused writer is told, however often the hub has tried again meanwhile.
  static func reason(_ failure: StorageFailure) -> String {
    "the hub cannot \(failure): persistent writes are refused until it can"
  }

  private func fail(_ engine: inout HubEngine, _ failure: StorageFailure, now: Instant) {
    note?.giveUp()
    notes.writingFails(failure, Journal.unknown)
    engine.journalFailed(Journal.reason(failure))
    health = .failing(retry: now.boot + Journal.retryDelay)
  }

  // MARK: What the worker reports

  /// Processes what the worker has done.
  ///
  /// - Returns: that the disk did not confirm what was written: it is in effect, but may not survive.
  func takeReports(_ engine: inout HubEngine, now: Instant) -> StorageFailure? {
    for report in worker.takeReports() {
      switch report {
      case .segment(.success(let segment)):
        nextSegment = segment
        state.nextNumber = segment.header.number + 1
      case .segment(.failure(let failure)), .snapshot(.failure(let failure)):
        snapshotFailed(&engine, failure, now: now)
      case .snapshot(.success(let length)): snapshotWritten(&engine, length, now: now)
      case .slow(let time): notes.diskWasSlow(time, now: now.boot)
      case .lost(let failure): lost(&engine, failure, now: now)
      }
    }
    guard isWorking, let failure = worker.syncProblem else { return nil }
    notes.writingFails(failure, Journal.unknown)
    close(&engine, Journal.reason(failure), retry: now.boot)
    return failure
  }

  /// Stops relying on anything that was written before.
  private func close(_ engine: inout HubEngine, _ reason: String, retry: UInt64) {
    if unbegun == nil { note?.giveUp() }
    engine.closeJournal(reason, needsSnapshot: true)
    health = .failing(retry: retry)
  }

  /// The directory is no longer this hub's: another one may be using it.
  private func lost(_ engine: inout HubEngine, _ failure: StorageFailure, now: Instant) {
    guard isWorking else { return }
    notes.writingFails(failure, Journal.refusal)
    close(&engine, Journal.reason(failure), retry: now.boot)
  }

  private func snapshotFailed(_ engine: inout HubEngine, _ failure: StorageFailure, now: Instant) {
    if isRenewing {
      notes.writingFails(failure, Journal.refusal)
      close(&engine, Journal.reason(failure), retry: now.boot + Journal.retryDelay)
    } else {
      notes.snapshotFails(failure)
    }
    dropNextSegment()
    endCompaction(at: now.boot, failed: true)
  }

  private func snapshotWritten(_ engine: inout HubEngine, _ length: Int, now: Instant) {
    guard snapshotWritten(length) else { return }
    notes.snapshotWorks()
    guard isRenewing else { return }
    if engine.owesSnapshot {
      return close(&engine, "the journal is being renewed: try again", retry: now.boot)
    }
    unbegun = nil
    open(&engine)
    notes.writingWorks()
  }

  /// Persistent stores can be written to, and everything that was shown is in the journal.
  private func open(_ engine: inout HubEngine) {
    health = .working
    engine.openJournal()
    engine.setRoom(room)
    noteReach()
  }

  // MARK: Between two turns

  /// Begins and continues snapshots, and retries what failed. The engine's outbox is empty now.
  func step(_ engine: inout HubEngine, now: Instant) {
    if let segment = nextSegment { rotate(to: segment, &engine, now: now) }
    if let retry, now.boot >= retry { tryAgain(&engine, now: now) }
    if wantsSnapshot(at: now.boot) { beginCompaction(securing: false, now: now) }
    continueSnapshot(engine, now: now)
  }

  private func rotate(to segment: SegmentFile, _ engine: inout HubEngine, now: Instant) {
    let isRenewal = isRenewing
    guard isRenewal || engine.isJournalOpen else {
      dropNextSegment()
      return endCompaction(at: now.boot, failed: true)
    }
    if isRenewal { engine.renewJournal() }
    let head = engine.head(
      previous: state.end, boot: state.boot, origin: segment.origin, beginsLife: unbegun != nil)
    do throws(StorageFailure) {
      try rotate(to: segment, head, now: now, forgets: isRenewal)
      nextSegment = nil
      compaction = .walking(SnapshotCursor())
      if isWorking { engine.setRoom(room) }
    } catch {
      notes.writingFails(error, Journal.refusal)
      dropNextSegment()
      endCompaction(at: now.boot, failed: true)
      close(&engine, Journal.reason(error), retry: now.boot + Journal.retryDelay)
    }
  }

  private func dropNextSegment() {
    if let nextSegment { Descriptor.close(nextSegment.file) }
    nextSegment = nil
  }

  private func tryAgain(_ engine: inout HubEngine, now: Instant) {
    // A snapshot in progress does not hold what is needed now: it ends first.
    guard abandonCompaction() else {
      health = .failing(retry: now.boot + Journal.retryDelay)
      return
    }
    if engine.owesSnapshot {
      health = .renewing
      beginCompaction(securing: true, now: now)
    } else if hasRoomAgain() {
      open(&engine)
    } else {
      health = .failing(retry: now.boot + Journal.retryDelay)
    }
  }

  // MARK: The end

  /// Syncs everything, and records that the hub stopped cleanly.
  func finish(_ engine: inout HubEngine, now: Instant) {
    _ = commit(&engine, isAwaited: true, now: now)
    _ = end(&engine, now: now, settled: engine.settle(now: now))
  }

  /// Ends the thread and records that the hub stopped cleanly, unless a hub that takes over records that it continues. One sync
  /// takes all of it to the disk.
  ///
  /// - Parameter settled: the journal has everything that clients have seen, once the engine's outbox is written.
  /// - Returns: whether it was recorded.
  func end(_ engine: inout HubEngine, now: Instant, settled: Bool = false) -> Bool {
    let isWhole =
      commit(&engine, isAwaited: true, now: now) == nil && engine.isJournalOpen && !engine.owesSnapshot
    stopWorker(syncs: false)
    var isRecorded = false
    if isWhole, worker.syncProblem == nil {
      var frames = OutputBuffer()
      JournalFrame.ended(revision: engine.revision, serial: engine.lastSerial, settled: settled)
        .encode(into: &frames)
      do throws(StorageFailure) {
        try append(frames.view, isAwaited: true, now: now)
        isRecorded = true
      } catch {}
    }
    if isGathering { hasten() }
    return worker.syncRest() && isRecorded
  }
}
