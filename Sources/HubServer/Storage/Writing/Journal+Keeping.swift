// The journal and the engine together: a turn's write, what is heard from the disk, and when to try again what failed. It
// knows no session: what becomes of replies is the loop's.

import Glibc
import HubCore

extension Journal {
  // MARK: A turn

  /// Writes what the turn has to tell, as one record. If that fails, the engine has taken the turn back, and takes no writes to
  /// persistent stores until `step` has mended it.
  ///
  /// - Parameter isAwaited: somebody waits for it to be on the disk.
  /// - Returns: why it could not be written.
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
    return nil
  }

  static let refusal = "writes to persistent stores are refused, and it is tried again"

  private func fail(_ engine: inout HubEngine, _ failure: StorageFailure, now: Instant) {
    // Should the hub be killed before it tries again, nothing half written is to be found. It is looked at once more then.
    _ = SegmentFile.clear(state.segment.file, from: state.offset, disk: disk)
    notes.writingFails(failure, Journal.refusal)
    let reason =
      "the hub cannot \(failure): nothing was changed; writes that have to be stored are refused until it can"
    engine.journalFailed(reason)
    // With more room the same file will do, once it is cleared. With any other error nobody knows what is in it.
    let isAboutRoom = failure.code == ENOSPC || failure.code == EDQUOT || failure.code == EROFS
    if !isAboutRoom { engine.closeJournal(reason, needsSnapshot: true) }
    health = .failing(retry: now.boot + Journal.retryDelay)
  }

  // MARK: What the worker reports

  /// Takes note of what the worker has done.
  ///
  /// - Returns: that the disk did not confirm what was written: it is in force, but nobody knows whether it will survive.
  func takeReports(_ engine: inout HubEngine, now: Instant) -> StorageFailure? {
    for report in worker.takeReports() {
      switch report {
      case .segment(.success(let segment)): nextSegment = segment
      case .segment(.failure(let failure)), .snapshot(.failure(let failure)):
        snapshotFailed(&engine, failure, now: now)
      case .snapshot(.success(let length)): snapshotWritten(&engine, length, now: now)
      case .prepared(let length): prepared(to: length)
      case .displaced: displaced(&engine, now: now)
      }
    }
    guard isWorking, let failure = worker.syncProblem else { return nil }
    notes.writingFails(
      failure, "what was written in the last second may be lost with the machine; a new journal is begun")
    close(
      &engine, "the hub cannot \(failure): writes that have to be stored are refused until it can",
      retry: now.boot)
    return failure
  }

  /// Nothing that was written before is counted on any more.
  private func close(_ engine: inout HubEngine, _ reason: String, retry: UInt64) {
    engine.closeJournal(reason, needsSnapshot: true)
    health = .failing(retry: retry)
  }

  private func displaced(_ engine: inout HubEngine, now: Instant) {
    guard isWorking else { return }
    let failure = StorageFailure("write the journal, whose directory was moved or removed", ENOENT)
    notes.writingFails(failure, "it is made anew")
    close(&engine, "the hub cannot \(failure): try again", retry: now.boot)
  }

  private func snapshotFailed(_ engine: inout HubEngine, _ failure: StorageFailure, now: Instant) {
    if isRenewing {
      notes.writingFails(failure, Journal.refusal)
      close(&engine, "the hub cannot \(failure): try again", retry: now.boot + Journal.retryDelay)
    } else if isBeginning {
      notes.writingFails(failure, Journal.refusal)
      let reason = "the hub cannot \(failure): writes that have to be stored are refused until it can"
      engine.closeJournal(reason, needsSnapshot: failure.isUnconfirmed)
      health = .failing(retry: now.boot + Journal.retryDelay)
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
    health = .working
    engine.openJournal()
    notes.writingWorks()
  }

  // MARK: Between two turns

  /// Begins and continues snapshots, and tries again what failed. The engine has nothing to tell now.
  func step(_ engine: inout HubEngine, now: Instant) {
    if let segment = nextSegment { turn(to: segment, &engine, now: now) }
    if let retry, now.boot >= retry { tryAgain(&engine, now: now) }
    if wantsSnapshot(at: now.boot) { beginCompaction(anew: false, now: now) }
    continueSnapshot(engine, now: now)
  }

  private func turn(to segment: SegmentFile, _ engine: inout HubEngine, now: Instant) {
    let isRenewal = isRenewing
    // What happened by itself since the start is told by a snapshot.
    let isFirst = isBeginning && !engine.owesSnapshot
    guard isRenewal || isFirst || engine.isJournalOpen else {
      if isBeginning { health = .failing(retry: now.boot) }
      dropNextSegment()
      return endCompaction(at: now.boot, failed: true)
    }
    nextSegment = nil
    if isRenewal { engine.renewJournal() }
    let head = engine.head(
      previous: state.link, boot: state.boot, origin: segment.origin, beginsLife: unbegun != nil)
    do throws(StorageFailure) {
      try turn(to: segment, head, isFirst ? unbegun?.frames ?? [] : [], now: now, forgets: isRenewal)
      compaction = isFirst ? .idle : .walking(SnapshotCursor())
      if isFirst { begun(&engine) }
    } catch {
      notes.writingFails(error, Journal.refusal)
      endCompaction(at: now.boot, failed: true)
      close(&engine, "the hub cannot \(error): try again", retry: now.boot + Journal.retryDelay)
    }
  }

  /// This life has its segment: from now on all is as after any start.
  private func begun(_ engine: inout HubEngine) {
    unbegun = nil
    health = .working
    engine.openJournal()
    notes.writingWorks()
  }

  private func dropNextSegment() {
    if let nextSegment { Glibc.close(nextSegment.file) }
    nextSegment = nil
  }

  private func tryAgain(_ engine: inout HubEngine, now: Instant) {
    // What a snapshot in the making was to hold is not what is needed now: it ends first.
    guard abandonCompaction() else {
      health = .failing(retry: now.boot + Journal.retryDelay)
      return
    }
    if engine.owesSnapshot {
      health = .renewing
      beginCompaction(anew: true, now: now)
    } else if let unbegun {
      health = .beginning
      beginCompaction(anew: true, behind: unbegun.behind, now: now)
    } else if SegmentFile.clear(state.segment.file, from: state.offset, disk: disk) != 0 {
      health = .failing(retry: now.boot + Journal.retryDelay)
    } else {
      health = .working
      engine.openJournal()
    }
  }

  // MARK: The end

  /// Brings everything to the disk, and says that the hub stopped in good order.
  func finish(_ engine: inout HubEngine, now: Instant) {
    _ = commit(&engine, isAwaited: true, now: now)
    guard end(&engine, now: now, settled: engine.settle(now: now)) else { return }
    // What is lost of the last record from now on is missed.
    _ = worker.settleEnd(state.end)
  }

  /// Ends the thread and says that the hub stopped in good order, unless a hub that takes over says that it goes on.
  ///
  /// - Parameter settled: the journal holds everything that anybody was shown, once the engine's outbox is written.
  /// - Returns: whether it was said.
  func end(_ engine: inout HubEngine, now: Instant, settled: Bool = false) -> Bool {
    let isWhole =
      commit(&engine, isAwaited: true, now: now) == nil && engine.isJournalOpen && !engine.owesSnapshot
    stopWorker()
    guard isWhole, worker.syncProblem == nil else { return false }
    // Everything is on the disk, which this last record says: what is damaged from now on is known to be damaged.
    var frames = OutputBuffer()
    JournalFrame.ended(revision: engine.revision, serial: engine.lastSerial, settled: settled)
      .encode(into: &frames)
    do throws(StorageFailure) { try append(frames.view, isAwaited: true, now: now) } catch { return false }
    return disk.sync(state.segment.file, .sync) == 0
  }
}
