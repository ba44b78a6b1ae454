// The jobs of the journal's thread besides syncing: making segments, and writing snapshots one part at a time.

import HubSystem
import Synchronization

extension JournalWorker {
  func perform(_ job: Job) {
    switch job {
    case .createSegment(let number, let time, let anew, let behind):
      let result = place.withLock { place in
        Result { () throws(StorageFailure) in
          if anew { try restore(&place.directory) }
          for name in behind { try SegmentFile.syncOld(place.directory.file(name), name, disk) }
          return try SegmentFile.create(number, in: place.directory, time: time, disk: disk)
        }
      }
      finish(.segment(result))
    case .writeSnapshot(let part):
      let result = place.withLock { place in
        Result { () throws(StorageFailure) in
          do throws(StorageFailure) {
            return try write(part, &place)
          } catch {
            // What exists of it is useless, and takes room.
            place.snapshot = nil
            throw error
          }
        }
      }
      finish(.snapshot(result))
    case .abandonSnapshot:
      place.withLock { $0.snapshot = nil }
      shared.withLock { $0.job = nil }
    }
  }

  /// Ensures that the directory is at its path, and that only this hub may write to it.
  private func restore(_ directory: inout StateDirectory) throws(StorageFailure) {
    if directory.isInPlace {
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

  private func write(_ part: SnapshotPart, _ place: inout Place) throws(StorageFailure) -> Int {
    if part.isFirst {
      place.snapshot = nil
      place.snapshot = try SnapshotFile(part.number, in: place.directory, time: part.time, disk: disk)
    }
    guard place.snapshot != nil else { throw StorageFailure("write the snapshot", .badDescriptor) }
    try place.snapshot!.append(part.frames)
    guard let (through, obsolete) = part.completes else { return 0 }
    // It includes the journal up to there, which must not be lost once this exists.
    if through > durable {
      let (files, end) = shared.withLock { ($0.retired + [$0.file], $0.written) }
      sync(files, end)
      if through > durable { throw StorageFailure("sync the journal", .inputOutput) }
    }
    let length = try place.snapshot!.finish(in: place.directory)
    place.snapshot = nil
    for name in obsolete { _ = disk.unlink(place.directory.file(name), .unlink) }
    _ = disk.syncDirectory(place.directory.directory.raw, .unlinkSyncDirectory)
    return length
  }
}
