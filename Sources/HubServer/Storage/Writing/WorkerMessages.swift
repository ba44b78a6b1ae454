// What the loop asks of the journal's thread, and what the thread reports.

import HubCore
import HubEngine

extension JournalWorker {
  enum Job: Sendable {
    /// A new segment; `recreatingDirectory`: first, if the directory is not at its path. `following`: the files of
    /// an earlier life, which are synced first.
    case createSegment(UInt64, time: Int64, recreatingDirectory: Bool, following: [String])
    case writeSnapshot(SnapshotPart)
    case abandonSnapshot
  }

  /// A run of frames for the snapshot of a segment.
  struct SnapshotPart: Sendable {
    var number: UInt64
    var time: Int64
    var isFirst: Bool
    var frames: [UInt8]
    /// With the last part: the snapshot counts once the journal is on the disk up to here; then these files are removed.
    var completes: (through: JournalPosition, obsolete: [String])?
  }

  enum Report: Sendable {
    case segment(Result<SegmentFile, StorageFailure>)
    /// A part of the snapshot was written; with the last one, the snapshot's length.
    case snapshot(Result<Int, StorageFailure>)
    case prepared(Int)
    /// The directory is no longer at its path.
    case directoryMoved
  }
}
