// The journal from the loop's point of view: one write per turn, and the disk's results. The worker waits for the disk; the engine
// knows what a value means.

import HubCore
import HubEngine
import HubSystem

/// Everything that the journal knows while it runs, except what its thread is doing: plain numbers and descriptors, with
/// which another program can continue.
struct JournalState: Equatable, Sendable {
  var segment: SegmentFile
  /// Where the next record goes.
  var offset: Int
  /// The journal is known to be on the disk up to here.
  var durable: JournalPosition
  var boot: BootID
  /// Segments since the last snapshot, including the current one, and the snapshot: the next snapshot makes them obsolete.
  var files: [JournalFileName]
  /// Bytes in those segments, without the current one.
  var segmentBytes = 0
  /// The length of the last snapshot.
  var snapshotBytes = 0
  var nextNumber: UInt64
  /// The open file in which is noted how far the journal reached; -1: there is none.
  var reachFile: Int32 = -1

  var end: JournalPosition { JournalPosition(segment: segment.header.number, offset: offset) }
}

/// Invariants: the file has whole records up to `state.offset`; while `health` is not `working`, the engine's journal is
/// not open and nothing is appended for sessions.
///
/// The loop holds the only reference to it. Besides its parts (state, worker, health, compaction, notes) it has what its steps
/// share from one turn to the next.
final class Journal {
  enum Health {
    case working
    /// It takes nothing until `retry`, in CLOCK_BOOTTIME nanoseconds.
    case failing(retry: UInt64)
    /// It continues in a new file, and takes nothing from sessions before a complete snapshot is on the disk.
    case renewing
  }

  /// The longest that written bytes wait for a sync, in nanoseconds: with the disk's own time below a second.
  static let syncDelay: UInt64 = 800_000_000
  /// A sync that takes longer is reported. When acknowledged writes have waited so long for the disk, further ones are not
  /// acknowledged before they are on it.
  static let slowSync: UInt64 = 1_000_000_000
  /// How long a failing disk is left alone.
  static let retryDelay: UInt64 = 250_000_000
  /// How often to check that file, lock and directory are still this hub's.
  private static let checkInterval: UInt64 = 10_000_000

  let disk: Disk
  /// A shorter journal is read faster than it is worth compacting.
  var leastBytes = 16 << 20
  var state: JournalState
  let worker: JournalWorker
  var thread: SystemThread?
  var health = Health.working
  var compaction = Compaction.idle
  /// When a snapshot may be tried again.
  var compactAfter: UInt64 = 0
  /// The segment in which the journal continues after this turn.
  var nextSegment: SegmentFile?
  /// Why this life has no segment yet: `state.segment` is an earlier life's, or none, and is not written to. Nil: it has one.
  var unbegun: StorageFailure?
  var notes = JournalNotes()
  /// How many snapshots were completed.
  var snapshots: UInt64 = 0
  let note: ReachNote?
  private var record = OutputBuffer(capacity: 16 << 10)
  private var nextCheck: UInt64 = 0
  /// What a request needed that there was no room for.
  private var refusedRoom = 0
  /// Since when replies have waited for the disk without the worker having been notified.
  private var gatheringSince: UInt64?
  private var unsynced = UnsyncedWrites()

  /// - Parameter hasMark: the segment has a mark that may not be on the disk.
  init(
    _ state: JournalState, directory: consuming StateDirectory, disk: Disk, unbegun: StorageFailure? = nil,
    hasMark: Bool = false
  ) throws(StorageFailure) {
    self.disk = disk
    self.state = state
    self.unbegun = unbegun
    note = ReachNote(state.reachFile)
    worker = try JournalWorker(
      directory, segment: state.segment,
      written: unbegun == nil ? state.end : state.durable, durable: state.durable, hasMark: hasMark,
      disk: disk)
  }

  deinit {
    stopWorker()
    Descriptor.close(state.segment.file)
    if state.reachFile >= 0 { Descriptor.close(state.reachFile) }
  }

  func start() throws(ServerError) { thread = try worker.run() }

  /// Readable when the worker has something to report.
  var reports: Int32 { worker.done.raw }

  var isWorking: Bool { if case .working = health { true } else { false } }
  var isRenewing: Bool { if case .renewing = health { true } else { false } }
  /// When to try again.
  var retry: UInt64? { if case .failing(let retry) = health { retry } else { nil } }

  // MARK: Appending

  /// Writes a turn's frames as one record.
  ///
  /// - Parameter isAwaited: a reply waits for it to be on the disk.
  func append(_ frames: ByteView, isAwaited: Bool, now: Instant) throws(StorageFailure) {
    try write(frames, to: state.segment, at: state.offset)
    appended(isAwaited: isAwaited, now: now)
  }

  /// Writes one record, whose bytes stay in `record`.
  private func write(
    _ frames: ByteView, to segment: SegmentFile, at offset: Int
  ) throws(StorageFailure) {
    record.clear(keeping: 1 << 20)
    let start = JournalRecord.begin(in: &record)
    record.append(frames)
    JournalRecord.end(
      in: &record, from: start, salt: segment.header.salt, offset: offset, durable: worker.durable)
    if let problem = disk.write(record.view, to: segment.file, at: offset, .append) {
      throw StorageFailure("write the journal", problem)
    }
  }

  /// `record` was written to the end of the journal.
  private func appended(isAwaited: Bool, now: Instant) {
    state.offset += record.count
    if isWorking { noteReach() }
    unsynced.add(upTo: state.end, at: now.boot)
    if isWorking { notes.writingWorks() }
    if !isAwaited {
      worker.wrote(state.end, deadline: now.boot + Journal.syncDelay)
    } else if gatheringSince == nil {
      gatheringSince = now.boot
    }
  }

  /// The journal has everything that clients have seen, up to its end.
  func noteReach() { note?.write(JournalReach(salt: state.segment.header.salt, end: state.end)) }

  // MARK: Before a turn

  /// Why nothing may be written: the directory or the file is not this hub's now. Looked for at most every 10 ms.
  func lostDirectory(now: Instant) -> StorageFailure? {
    guard isWorking, now.boot >= nextCheck else { return nil }
    nextCheck = now.boot + Journal.checkInterval
    // Once it is written to, it would be lost with this process.
    if let status = try? FileStatus(of: state.segment.file) {
      if status.names == 0 { return StorageFailure("write the journal, whose file was removed", .noSuchFile) }
      if status.size < state.offset || beginsWithZeroes {
        return StorageFailure("write the journal, whose file was truncated", .noSuchFile)
      }
    }
    return worker.ownership.problem
  }

  /// A file that was truncated is as long as before after the next write, but has no header.
  private var beginsWithZeroes: Bool {
    var front: UInt64 = 0
    let file = state.segment.file
    let count = withUnsafeMutableBytes(of: &front) { File.read(file, at: 0, into: $0).count }
    return count == MemoryLayout<UInt64>.size && front == 0
  }

  /// At least so much room is kept ahead of the records.
  private static let leastRoom = 128 << 10
  /// So much is reserved at a time.
  private static let roomAtOnce = 256 << 10

  /// The longest record that fits into the reserved room.
  var room: Int {
    state.segment.prepared - state.offset - JournalRecord.headerLength - JournalRecord.alignment
  }

  /// Keeps room ahead of the records. Success matters only if a request needs more room than is available.
  ///
  /// - Parameter wanted: the room that a deferred request needs; 0: there is none.
  func makeRoom(_ wanted: Int) -> StorageFailure? {
    let (offset, prepared) = (state.offset, max(state.segment.prepared, state.offset))
    let needed = wanted + JournalRecord.headerLength + JournalRecord.alignment
    guard prepared - offset < max(needed, Journal.leastRoom), wanted > 0 || refusedRoom == 0 else {
      return nil
    }
    var problem = reserve(from: prepared, to: max(prepared, offset + 2 * wanted) + Journal.roomAtOnce)
    if problem != nil, wanted > 0 {
      problem = prepared - offset < needed ? reserve(from: prepared, to: offset + needed) : nil
    }
    refusedRoom = problem == nil ? 0 : max(wanted, 1)
    guard wanted > 0, let problem else { return nil }
    return StorageFailure("make room in the journal", problem)
  }

  /// Whether there is room now for what was refused.
  func hasRoomAgain() -> Bool { makeRoom(max(refusedRoom, 1)) == nil }

  private func reserve(from: Int, to: Int) -> SystemError? {
    if let problem = SegmentFile.reserve(state.segment.file, from: from, to: to, disk: disk) {
      return problem
    }
    state.segment.prepared = to
    return nil
  }

  // MARK: Syncing

  /// The longest that a sync waits for further writes, in nanoseconds.
  private static let gatheringTime: UInt64 = 200_000

  /// Replies wait for the disk, but further writes are awaited, which it would keep waiting: as long as each turn brings
  /// some, all of them share a sync. Meanwhile the loop does not wait for events.
  var isGathering: Bool { gatheringSince != nil }

  /// A turn was written.
  func gather(isAwaited: Bool, now: Instant) {
    guard let gatheringSince else { return }
    if !isAwaited || now.boot &- gatheringSince >= Journal.gatheringTime { hasten() }
  }

  /// Syncs what was written: a reply waits for it.
  func hasten() {
    gatheringSince = nil
    worker.wrote(state.end, deadline: nil)
  }

  /// Writes that were acknowledged have waited for the disk for a second: if more were acknowledged, a power failure
  /// could lose more than a second's.
  func isOverdue(now: Instant) -> Bool {
    guard isWorking, let since = unsynced.since(worker.durable), now.boot &- since >= Journal.slowSync
    else { return false }
    notes.diskHangs(now: now.boot)
    return true
  }

  /// What the progress of a reload depends on.
  var standing: DiskStanding {
    DiskStanding(
      end: isWorking ? state.end : worker.durable, durable: worker.durable, waitsSince: worker.diskSince)
  }

  // MARK: Rotating

  /// Continues the journal in a new segment, whose first record is this head. If the head cannot be written, the segment is
  /// not used: no recovery would reach it.
  func rotate(
    to segment: SegmentFile, _ head: JournalFrame.Head, now: Instant, forgets: Bool
  ) throws(StorageFailure) {
    var bytes = OutputBuffer()
    JournalFrame.head(head).encode(into: &bytes)
    try write(bytes.view, to: segment, at: JournalFileHeader.recordsStart)
    worker.rotate(to: segment, forgets: forgets)
    state.files.append(JournalFileName(.journal, segment.header.number))
    state.segmentBytes += state.offset
    state.segment = segment
    state.offset = JournalFileHeader.recordsStart
    refusedRoom = 0
    appended(isAwaited: false, now: now)
  }

  /// How many bytes a recovery would have to read besides the snapshot.
  var journalBytes: Int { state.segmentBytes + state.offset }

  // MARK: Ending

  /// Ends the thread.
  ///
  /// - Parameter syncs: everything is synced before.
  func stopWorker(syncs: Bool = true) {
    if isGathering { hasten() }
    if let thread { worker.stop(thread, syncs: syncs) }
    thread = nil
  }
}

/// How far the disk is, and whether it answers.
struct DiskStanding {
  /// The journal is written up to here.
  var end: JournalPosition
  /// It is on the disk up to here.
  var durable: JournalPosition
  /// Since when the journal's thread has been waiting for the disk; nil: it is not.
  var waitsSince: UInt64?
}
