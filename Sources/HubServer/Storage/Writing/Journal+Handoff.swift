// The journal between two hubs: made quiet, described, and gone on with by the next one without a recovery.

import CLinux
import Glibc
import HubCore

extension Journal {
  /// Brings everything to the disk and ends the thread. Nothing is on its way then; `start` goes on.
  func quiesce(_ engine: inout HubEngine, now: Instant) {
    stopWorker()
    // The worker may have made a segment: the journal goes on in it, so that it begins with a head.
    _ = takeReports(&engine, now: now)
    if nextSegment != nil { step(&engine, now: now) }
    compaction = .idle
    // The next hub knows only of journals that were begun: it makes one with everything in it.
    if let unbegun {
      let reason = "the hub cannot \(unbegun.problem): writes that have to be stored are refused until it can"
      engine.closeJournal(reason, needsSnapshot: true)
    }
  }

  /// What the next hub has to know. Only while the journal is quiet.
  var image: JournalImage {
    let place = worker.directoryDescriptors
    return JournalImage(
      state, durable: worker.durable, path: place.path, directory: place.directory, lock: place.lock)
  }

  /// Whether a program that is executed in this process keeps directory, lock and file.
  func setSurvivesExecution(_ survives: Bool) {
    for descriptor in image.descriptors { _ = fcntl(descriptor, F_SETFD, survives ? 0 : FD_CLOEXEC) }
  }

  /// Takes back that the hub has stopped. Before anybody is shown anything that is on the disk, too: else a power failure could
  /// lose changes of which nobody knew that they had been.
  private func goOn(_ engine: inout HubEngine, now: Instant) throws(StorageFailure) {
    engine.renewReservation()
    let reserved = engine.reserved
    var frames = OutputBuffer()
    JournalFrame.reserved(revision: reserved.revision, serial: reserved.serial).encode(into: &frames)
    try append(frames.view, isAwaited: true, now: now)
    let problem = disk.sync(state.segment.file, .recoverSync)
    if problem != 0 { throw StorageFailure("sync the journal", problem) }
  }

  /// Goes on where another hub has left off.
  ///
  /// - Throws: `ServerError.stateDirectory` if another process has taken the directory since.
  ///
  /// - Parameter isEnded: the other one said that it stopped in good order, for the case that nobody takes over.
  static func adopt(
    _ image: JournalImage, _ engine: inout HubEngine, isEnded: Bool, now: Instant, disk: Disk = Disk()
  ) throws(ServerError) -> Journal {
    for descriptor in image.descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let holder = LockFile.retake(image.lock)
    guard holder == 0 else {
      throw .stateDirectory(
        path: image.path, reason: "process \(holder) has taken it: one directory is one hub's")
    }
    let directory = StateDirectory(
      adopting: image.path, directory: Descriptor(adopting: image.directory),
      lock: Descriptor(adopting: image.lock))
    do throws(StorageFailure) {
      var state = image.state
      state.segment.readPreamble()
      let journal = try Journal(state, directory: directory, disk: disk, hasMark: true)
      if !engine.isJournalOpen {
        journal.health = .failing(retry: now.boot)
        return journal
      }
      if isEnded { try journal.goOn(&engine, now: now) }
      journal.hasten()
      return journal
    } catch {
      throw .stateDirectory(path: image.path, reason: "cannot \(error)")
    }
  }
}
