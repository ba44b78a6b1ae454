// When a snapshot is made, and how it proceeds: one part per turn, while the hub serves. The worker's reports drive it.

import HubCore
import HubEngine

/// The progress of a snapshot.
enum Compaction {
  case idle
  /// The next segment is being made.
  case preparing
  /// The snapshot of the current segment is being written.
  case walking(SnapshotCursor)
  /// A part of it is on its way to the disk; nil: the last one.
  case writing(SnapshotCursor?)
}

extension Journal {
  /// The length of a part's frames, about a thousand small stores: as much as the loop may encode at a time.
  static let partBytes = 32 << 10
  static let mostSegments = 16
  private static let pause: UInt64 = 10_000_000_000

  /// Whether the journal is long enough for a snapshot.
  func wantsSnapshot(at time: UInt64) -> Bool {
    guard case .idle = compaction, case .working = health, time >= compactAfter else { return false }
    let isLong =
      journalBytes > max(leastBytes, state.snapshotBytes)
      || state.files.count > Journal.mostSegments
    return isLong && !worker.isBusy
  }

  /// - Parameter securing: the directory may be another hub's by now.
  func beginCompaction(securing: Bool, now: Instant) {
    compaction = .preparing
    let newest = securing ? state.segment.header.number : nil
    worker.start(.createSegment(state.nextNumber, time: now.wall, securing: newest))
  }

  /// Gives up a snapshot in progress.
  ///
  /// - Returns: whether there is none any more; otherwise wait for the worker's next report.
  func abandonCompaction() -> Bool {
    switch compaction {
    case .idle: return !worker.isBusy
    case .preparing, .writing: return false
    case .walking:
      worker.start(.abandonSnapshot)
      compaction = .idle
      return false
    }
  }

  /// The snapshot was given up, or is complete.
  func endCompaction(at time: UInt64, failed: Bool) {
    compaction = .idle
    if failed { compactAfter = time + Journal.pause }
  }

  /// Hands the next part of the snapshot to the worker.
  func continueSnapshot(_ engine: borrowing HubEngine, now: Instant) {
    guard case .walking(var cursor) = compaction else { return }
    let (number, isFirst) = (state.segment.header.number, cursor.isAtStart)
    let (frames, isComplete) = engine.snapshotPart(&cursor, through: state.end, now: now)
    var part = JournalWorker.SnapshotPart(number: number, time: now.wall, isFirst: isFirst, frames: frames)
    if isComplete {
      let obsolete = state.files.filter { $0 != JournalFileName(.journal, number) }
      part.completes = (state.end, obsolete.map(\.description))
    }
    worker.start(.writeSnapshot(part))
    compaction = .writing(isComplete ? nil : cursor)
  }

  /// A part was written.
  ///
  /// - Returns: whether it was the last.
  func snapshotWritten(_ length: Int) -> Bool {
    guard case .writing(let cursor) = compaction else { return false }
    if let cursor {
      compaction = .walking(cursor)
      return false
    }
    compaction = .idle
    snapshots += 1
    state.snapshotBytes = length
    state.segmentBytes = 0
    let number = state.segment.header.number
    state.files = [JournalFileName(.snapshot, number), JournalFileName(.journal, number)]
    return true
  }
}

extension HubEngine {
  /// The next frames of a snapshot that holds for the journal up to `through`; with the last ones it is complete.
  func snapshotPart(
    _ cursor: inout SnapshotCursor, through: JournalPosition, now: Instant
  ) -> (frames: [UInt8], isComplete: Bool) {
    var frames = OutputBuffer(capacity: Journal.partBytes + (16 << 10))
    let isComplete = appendSnapshot(&cursor, bytes: Journal.partBytes, now: now, into: &frames)
    if isComplete { JournalFrame.complete(through: through, stores: cursor.stores).encode(into: &frames) }
    return (frames.array, isComplete)
  }
}
