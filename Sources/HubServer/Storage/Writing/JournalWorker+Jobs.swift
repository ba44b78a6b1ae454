// The jobs of the journal's thread besides syncing: making segments, and writing snapshots one part at a time.

import HubSystem
import Synchronization

extension JournalWorker {
  func perform(_ job: Job) {
    switch job {
    case .createSegment(let number, let time, let recreatesDirectory, let following):
      let result = state.withLock { state in
        Result { () throws(StorageFailure) in
          if recreatesDirectory { try secure(&state.directory) }
          for name in following { try SegmentFile.syncOld(state.directory.file(name), name, disk) }
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
            // What exists of it is useless, and takes room.
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

  /// Ensures that the directory is at its path, and that only this hub may write to it.
  private func secure(_ directory: inout StateDirectory) throws(StorageFailure) {
    if directory.isAtItsPath {
      if let problem = directory.lockForWriting() {
        throw StorageFailure("lock the state directory", problem)
      }
      return
    }
    do throws(ServerError) {
      directory = try StateDirectory(directory.path, disk: disk)
    } catch {
      throw StorageFailure("make the state directory", .noSuchFile)
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
    // It includes the journal up to there, which must not be lost once this exists.
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
