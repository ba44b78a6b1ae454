// The journal between two hubs: quiesced, described, and continued by the next hub without a recovery.

import HubCore
import HubEngine
import HubSystem

extension Journal {
  /// Syncs everything and ends the thread. Then nothing is in flight; `start` resumes.
  func quiesce(_ engine: inout HubEngine, now: Instant) {
    stopWorker()
    // The worker may have made a segment: the journal continues in it, so that it begins with a head.
    _ = takeReports(&engine, now: now)
    if nextSegment != nil { step(&engine, now: now) }
    compaction = .idle
    // The next hub can continue only an existing journal; otherwise it creates one with everything in it.
    if let unbegun {
      engine.closeJournal(Journal.reason(unbegun), needsSnapshot: true)
    }
  }

  /// What the next hub must know. Only while the journal is quiesced.
  var image: JournalImage {
    let open = worker.directoryDescriptors
    var state = state
    state.durable = worker.durable
    state.segment.marks = worker.marks
    return JournalImage(path: open.path, directory: open.directory, lock: open.lock, state: state)
  }

  /// Sets whether a program executed in this process keeps directory, lock and file.
  func setSurvivesExecution(_ survives: Bool) {
    for descriptor in image.descriptors { Descriptor.setSurvivesExecution(survives, of: descriptor) }
  }

  /// Revokes the statement that the hub stopped, before any client is shown anything, even what is on the disk: otherwise a
  /// power failure could lose changes that were not known to have been made.
  private func goOn(_ engine: inout HubEngine, now: Instant) throws(StorageFailure) {
    engine.renewReservation()
    let reserved = engine.reserved
    var frames = OutputBuffer()
    JournalFrame.reserved(revision: reserved.revision, serial: reserved.serial).encode(into: &frames)
    try append(frames.view, isAwaited: true, now: now)
    if let problem = disk.sync(state.segment.file, .recoverSync) {
      throw StorageFailure("sync the journal", problem)
    }
  }

  /// Continues where another hub left off.
  ///
  /// - Parameter isEnded: the other hub recorded a clean stop, in case no hub takes over.
  /// - Throws: `ServerError.stateDirectory` if another process has taken the directory since.
  static func adopt(
    _ image: JournalImage, _ engine: inout HubEngine, isEnded: Bool, now: Instant, disk: Disk = Disk()
  ) throws(ServerError) -> Journal {
    for descriptor in image.descriptors { Descriptor.setSurvivesExecution(false, of: descriptor) }
    if let holder = try ServerError.attempt("lock the state directory", LockFile.adopt(image.lock)) {
      throw .stateDirectory(
        path: image.path, reason: "process \(holder) has taken it: each hub needs its own directory")
    }
    SegmentFile.lock(image.state.segment.file)
    let directory = StateDirectory(
      adopting: image.path, directory: Descriptor(adopting: image.directory),
      lock: Descriptor(adopting: image.lock))
    do throws(StorageFailure) {
      let journal = try Journal(image.state, directory: directory, disk: disk, hasMark: true)
      if !engine.isJournalOpen {
        journal.health = .failing(retry: now.boot)
        return journal
      }
      if isEnded { try journal.goOn(&engine, now: now) }
      engine.setRoom(journal.room)
      journal.hasten()
      return journal
    } catch {
      throw .stateDirectory(path: image.path, reason: "cannot \(error)")
    }
  }
}
