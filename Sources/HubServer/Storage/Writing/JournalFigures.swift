// The journal's counters for `stats`, assembled on request.

import HubCore
import HubEngine
import HubSystem
import Synchronization

/// How long syncs take, and what room they leave: recorded by the journal's thread, read by the loop.
final class SyncTimes: Sendable {
  private struct State {
    var counters = JournalCounters()
    /// When the disk is examined again.
    var nextLook: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Records a sync from `start` to `end`, in CLOCK_BOOTTIME nanoseconds.
  func add(from start: UInt64, to end: UInt64) {
    state.withLock { state in
      state.counters.syncs &+= 1
      state.counters.syncTime &+= end &- start
      state.counters.longestSync = max(state.counters.longestSync, end &- start)
      state.counters.syncTimes.add(end &- start)
      state.counters.lastSync = end
    }
  }

  /// Looks how much room is left on a file's disk, at most once in a second.
  func look(at file: Int32, now: UInt64) {
    let isDue = state.withLock { state in
      guard state.counters.freeBytes == 0 || now >= state.nextLook else { return false }
      state.nextLook = now + 1_000_000_000
      return true
    }
    guard isDue, let bytes = FileSystem.freeBytes(of: file) else { return }
    state.withLock { $0.counters.freeBytes = bytes }
  }

  var value: JournalCounters { state.withLock { $0.counters } }
}

extension Journal {
  var figures: JournalCounters {
    var figures = worker.syncTimes.value
    figures.bytes = UInt64(journalBytes)
    figures.segments = UInt64(state.files.count { $0.kind == .journal })
    figures.snapshotBytes = UInt64(state.snapshotBytes)
    let durable = worker.durable
    let isSameSegment = durable.segment == state.segment.header.number
    // How much of an earlier segment is not synced is unknown here: the first sync of this one includes it.
    figures.unsyncedBytes = UInt64(max(0, state.offset - (isSameSegment ? durable.offset : 0)))
    figures.isRefusing = !isWorking
    figures.problem = UInt64(max(0, notes.trouble?.code ?? 0))
    figures.failures = notes.failures
    figures.snapshotFailures = notes.snapshotFailures
    figures.snapshots = snapshots
    return figures
  }
}
