// The loop's requests to the journal's thread, and the thread's reports.

import HubCore
import HubEngine

extension JournalWorker {
  enum Job: Sendable {
    /// Create a new segment. With `securing`, if the hub has lost the directory, first lock it again; this fails if it holds a
    /// segment with a higher number than that.
    case createSegment(UInt64, time: Int64, securing: UInt64?)
    case writeSnapshot(SnapshotPart)
    case abandonSnapshot
  }

  /// A run of frames for the snapshot of a segment.
  struct SnapshotPart: Sendable {
    var number: UInt64
    var time: Int64
    var isFirst: Bool
    var frames: [UInt8]
    /// Only with the last part: the snapshot is valid once the journal has been synced up to this position. Then the obsolete files are
    /// removed.
    var completes: (through: JournalPosition, obsolete: [String])?
  }

  enum Report: Sendable {
    case segment(Result<SegmentFile, StorageFailure>)
    /// A part of the snapshot was written; with the last one, the snapshot's length.
    case snapshot(Result<Int, StorageFailure>)
    /// A sync took so many nanoseconds.
    case slow(UInt64)
    /// The directory is no longer this hub's.
    case lost(StorageFailure)
  }
}
