// What the loop and the journal's thread share under a lock, and what belongs to the thread alone.

import HubCore
import HubEngine

extension JournalWorker {
  struct Shared {
    var file: Int32
    /// Earlier segments that may not be on the disk yet: they are synced first.
    var retired: [Int32] = []
    /// The journal is written up to here.
    var written: JournalPosition
    /// A reply waits for the journal to be on the disk up to here.
    var wanted: JournalPosition
    /// The latest time for the sync of what is written, in CLOCK_BOOTTIME nanoseconds.
    var deadline: UInt64?
    /// The latest time for the sync of the last written mark, unless an earlier sync includes it.
    var markDeadline: UInt64?
    var job: Job?
    var reports: [Report] = []
    var problem: StorageFailure?
    var ownership: Ownership
    var isWaiting = false
    var stops = false
    /// The thread syncs what was written before it ends.
    var syncsAtEnd = true
  }

  /// Only the worker's thread touches it while it runs.
  struct WorkerState: ~Copyable {
    var directory: StateDirectory
    var snapshot: SnapshotFile?
  }
}
