// The jobs of the journal's thread besides syncing: making segments, and writing snapshots one part at a time.

import HubSystem
import Synchronization

extension JournalWorker {
  func perform(_ job: Job) {
    switch job {
    case .createSegment(let number, let time, let newest):
      let result = state.withLock { state in
        Result { () throws(StorageFailure) in
          if let newest { try secure(&state.directory, newest: newest) }
          return try SegmentFile.create(number, in: state.directory, time: time, disk: disk)
        }
      }
      finish(.segment(result))
    case .writeSnapshot(let part):
      let result = state.withLock { state in
        Result { () throws(StorageFailure) in
          do throws(StorageFailure) {
            return try write(part, &state)
          } catch {
            // The incomplete file is useless, and takes room.
            state.snapshot = nil
            throw error
          }
        }
      }
      finish(.snapshot(result))
    case .abandonSnapshot:
      state.withLock { $0.snapshot = nil }
      shared.withLock { $0.job = nil }
    }
  }

  /// Ensures that the directory at the path, and its lock, are this hub's.
  ///
  /// - Parameter newest: the number of the newest segment that this hub has written to.
  private func secure(_ directory: inout StateDirectory, newest: UInt64) throws(StorageFailure) {
    if directory.ownership.problem == nil {
      if let problem = directory.lockForWriting() {
        throw StorageFailure("lock the state directory", problem)
      }
      return
    }
    let again = try takenAgain(directory.path)
    // Data that another hub wrote in the meantime is neither overwritten nor continued.
    let isSame = again.isSame(as: directory)
    let names = ((try? again.names()) ?? []).compactMap { JournalFileName($0) }
    if names.contains(where: { !isSame || $0.number > newest }) {
      again.discardNewLock()
      throw StorageFailure(
        "continue in the state directory, because another hub has written to it: stop this hub and start it",
        .exists)
    }
    shared.withLock { $0.ownership = again.ownership }
    directory = again
  }

  private func takenAgain(_ path: String) throws(StorageFailure) -> StateDirectory {
    do throws(ServerError) {
      return try StateDirectory(path, disk: disk)
    } catch {
      guard case .stateDirectory(_, let reason) = error, (try? FileStatus(at: path)) != nil else {
        // The sandbox lets the hub make files in the directory, and not the directory.
        let advice = Confinement.isInForce ? " (the sandbox may prevent it: restart this hub)" : ""
        throw StorageFailure("make the state directory\(advice)", .noSuchFile)
      }
      throw StorageFailure(
        "take the state directory again (\(reason)): if it was replaced, stop this hub and start it",
        .wouldBlock)
    }
  }

  private func finish(_ report: Report) {
    shared.withLock { $0.job = nil }
    self.report(report)
  }

  private func write(_ part: SnapshotPart, _ state: inout WorkerState) throws(StorageFailure) -> Int {
    if part.isFirst {
      state.snapshot = nil
      state.snapshot = try SnapshotFile(part.number, in: state.directory, time: part.time, disk: disk)
    }
    guard state.snapshot != nil else { throw StorageFailure("write the snapshot", .badDescriptor) }
    try state.snapshot!.append(part.frames)
    guard let (through, obsolete) = part.completes else { return 0 }
    // The snapshot includes the journal up to that position, which must not be lost once the snapshot exists.
    if through > durable {
      let (files, end) = shared.withLock { ($0.retired + [$0.file], $0.written) }
      sync(files, end)
      if through > durable { throw StorageFailure("sync the journal", .inputOutput) }
    }
    let length = try state.snapshot!.finish(in: state.directory)
    state.snapshot = nil
    for name in obsolete { _ = disk.unlink(state.directory.file(name), .unlink) }
    _ = disk.syncDirectory(state.directory.directory.raw, .unlinkSyncDirectory)
    return length
  }
}
