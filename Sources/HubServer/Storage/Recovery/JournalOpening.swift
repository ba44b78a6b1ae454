// Recovers a state directory: reads it, decides, and begins a new segment. Nothing is touched before everything has been read.

import HubCore
package import HubEngine
import HubSystem

extension Journal {
  /// What a hub begins with.
  struct Opened: ~Copyable {
    var engine: HubEngine
    let journal: Journal

    consuming func takeEngine() -> HubEngine { engine }
  }

  /// Recovers a directory. If it cannot be written to, the hub serves what it has read, and starts writing once that is possible.
  ///
  /// - Parameters:
  ///   - runtimeDirectory: where the hub records how far the journal reached; nil: nowhere.
  ///   - beginsEpoch: begin a new epoch unconditionally.
  ///   - notes: receives human-readable notes about the recovery.
  ///   - willRecover: called with the number of bytes to read, before reading.
  ///   - prepare: applies the configuration to the recovered engine, before anything is written.
  /// - Throws: `ServerError.stateDirectory` if the directory cannot be used, and what `prepare` throws.
  static func open(
    _ path: String, options: HubEngine.Options, boot: BootID, now: Instant, disk: Disk = Disk(),
    runtimeDirectory: String? = nil, beginsEpoch: Bool = false, notes: inout [String],
    willRecover: (Int) -> Void = { _ in },
    prepare: (inout HubEngine) throws(ServerError) -> Void = { _ throws(ServerError) in }
  ) throws(ServerError) -> Opened {
    let directory = try StateDirectory(path, disk: disk)
    let reach = runtimeDirectory.map { ReachFile.path(in: $0, for: path) }
    var options = options
    options.journals = true
    let taken: Taken
    do throws(ServerError) {
      taken = try take(
        directory, options, boot: boot, noted: reach.map(ReachFile.read) ?? .unchecked,
        beginsEpoch: beginsEpoch, now: now, disk: disk, &notes, willRecover, prepare)
    } catch {
      directory.discardNewLock()
      throw error
    }
    do throws(StorageFailure) {
      var state = taken.state
      if let reach { state.reachFile = ReachFile.open(reach) }
      let journal = try Journal(state, directory: directory, disk: disk, unbegun: taken.unbegun)
      let unbegun = taken.unbegun
      var engine = taken.takeEngine()
      if let unbegun {
        journal.health = .failing(retry: now.boot + Journal.retryDelay)
        journal.notes.writingFails(unbegun, Journal.refusal)
      } else {
        journal.noteReach()
        engine.setRoom(journal.room)
      }
      return Opened(engine: engine, journal: journal)
    } catch {
      throw .stateDirectory(path: path, reason: "cannot \(error)")
    }
  }

  /// The result of reading the files.
  private struct Taken: ~Copyable {
    var engine: HubEngine
    let state: JournalState
    let unbegun: StorageFailure?

    consuming func takeEngine() -> HubEngine { engine }
  }

  private static func take(
    _ directory: borrowing StateDirectory, _ options: HubEngine.Options, boot: BootID, noted: NotedReach,
    beginsEpoch: Bool, now: Instant, disk: Disk, _ notes: inout [String], _ willRecover: (Int) -> Void,
    _ prepare: (inout HubEngine) throws(ServerError) -> Void
  ) throws(ServerError) -> Taken {
    let path = directory.path
    let listing = try read(path) { () throws(JournalProblem) in try StateListing(path, user: nil) }
    if let unread = listing.unread { throw refusal(path, unread) }
    if listing.length > 0 { willRecover(listing.length) }
    let files = listing.files
    let plan = try read(path) { () throws(JournalProblem) in try RecoveryPlan(files) }
    let newest = plan.segments.last.map { directory.file($0.name.description) }
    let origin = newest.map { FileOrigin(ofFileAt: $0) } ?? plan.origin
    var rule = try read(path) { () throws(JournalProblem) in
      try EpochRule(plan, boot: boot, origin: origin, noted: noted)
    }
    if beginsEpoch, rule != .fresh { rule = .asked }
    var engine = try engine(plan, listing, options, rule, boot, now)
    try prepare(&engine)
    do throws(StorageFailure) {
      let state = try begin(plan, &engine, directory, boot: boot, now: now, disk: disk)
      notes += rule.notes(plan)
      return Taken(engine: engine, state: state, unbegun: nil)
    } catch {
      // The numbers that this run uses cannot be reserved, so they need their own epoch.
      if rule != .fresh { rule = .unwritable }
      engine = try self.engine(plan, listing, options, rule, boot, now)
      try prepare(&engine)
      notes += rule.notes(plan)
      // A complete snapshot will have what the outbox holds.
      engine.journalFailed(Journal.reason(error))
      engine.reserveFreely()
      return Taken(engine: engine, state: standIn(plan, directory, boot), unbegun: error)
    }
  }

  /// Reads the content of the directory at `path`, which may be damaged.
  private static func read<Result: ~Copyable>(
    _ path: String, _ body: () throws(JournalProblem) -> Result
  ) throws(ServerError) -> Result {
    do throws(JournalProblem) { return try body() } catch { throw refusal(path, error) }
  }

  private static func refusal(_ path: String, _ problem: JournalProblem) -> ServerError {
    .stateDirectory(path: path, reason: problem.description)
  }

  private static func engine(
    _ plan: RecoveryPlan, _ files: borrowing StateListing, _ options: HubEngine.Options, _ rule: EpochRule,
    _ boot: BootID, _ now: Instant
  ) throws(ServerError) -> HubEngine {
    let (path, files) = (files.path, files.files)
    return try read(path) { () throws(JournalProblem) in
      try plan.engine(files, options: options, rule: rule, boot: boot, now: now)
    }
  }

  /// Begins a segment after those of the plan, with the engine's outbox.
  private static func begin(
    _ plan: RecoveryPlan, _ engine: inout HubEngine, _ directory: borrowing StateDirectory,
    boot: BootID, now: Instant, disk: Disk
  ) throws(StorageFailure) -> JournalState {
    if directory.isReadOnly {
      throw StorageFailure("lock the state directory for writing", .readOnlyFileSystem)
    }
    // The new segment's record of the old ones must remain true whatever happens to the machine next.
    for source in plan.segments {
      let name = source.name.description
      try SegmentFile.syncOld(directory.file(name), name, disk)
    }
    var head = engine.head(
      previous: plan.end, boot: boot, origin: FileOrigin(inode: 0, birth: 0), beginsLife: true)
    var offset = 0
    let frames = engine.outboxBytes
    let segment = try SegmentFile.create(plan.nextNumber, in: directory, time: now.wall, disk: disk) {
      (out, file) in
      head.origin = file.origin
      let start = JournalRecord.begin(in: &out)
      JournalFrame.head(head).encode(into: &out)
      out.append(frames)
      JournalRecord.end(in: &out, from: start, salt: file.header.salt, offset: start, durable: plan.end)
      offset = out.count
    }
    engine.journalWritten()
    for name in plan.obsolete { _ = disk.unlink(directory.file(name), .unlink) }
    let number = segment.header.number
    return JournalState(
      segment: segment, offset: offset, durable: JournalPosition(segment: number, offset: offset), boot: boot,
      files: plan.files + [JournalFileName(.journal, number)],
      segmentBytes: plan.segments.reduce(0) { $0 + $1.end }, snapshotBytes: plan.snapshot?.end ?? 0,
      nextNumber: number + 1)
  }

  // MARK: Beginning later

  /// The journal's state while this life has no segment. Its file exists to be handed on, and is not written to.
  private static func standIn(
    _ plan: RecoveryPlan, _ directory: borrowing StateDirectory, _ boot: BootID
  ) -> JournalState {
    let newest = plan.segments.last.map { directory.file($0.name.description) }
    let file =
      newest.flatMap { try? Descriptor(opening: $0, .careful).release() }
      ?? (try? Descriptor.duplicate(directory.directory.raw).release()) ?? -1
    let header = JournalFileHeader(kind: .journal, number: plan.end.segment, salt: 0, time: 0)
    return JournalState(
      segment: SegmentFile(
        file: file, header: header, origin: plan.origin, prepared: plan.end.offset, marks: nil),
      offset: plan.end.offset, durable: plan.durable, boot: boot, files: plan.files,
      segmentBytes: plan.segments.dropLast().reduce(0) { $0 + $1.end },
      snapshotBytes: plan.snapshot?.end ?? 0, nextNumber: plan.nextNumber + 1)
  }
}

extension RecoveryPlan {
  /// The files with the state, in order.
  fileprivate var files: [JournalFileName] { (snapshot.map { [$0.name] } ?? []) + segments.map(\.name) }
}

extension FileOrigin {
  /// The file system's record of a file; zeroes if it cannot be opened.
  package init(ofFileAt path: String) {
    let file = try? Descriptor(opening: path, .careful)
    switch file {
    case .some(let file): self.init(of: file.raw)
    case .none: self.init(inode: 0, birth: 0)
    }
  }
}

extension EpochRule {
  func notes(_ plan: RecoveryPlan) -> [String] {
    var notes: [String] = []
    if let cut = plan.cut {
      let reason =
        self == .kept
        ? "of a write that was unfinished when the hub was killed"
        : "which had not completely reached the disk"
      notes.append("\(cut.file): cut \(cut.bytes) bytes at offset \(cut.offset), \(reason)")
    }
    switch self {
    case .fresh, .kept, .cut: break
    case .powerLoss:
      notes.append("the machine went down before the hub had stopped: the last changes may be lost")
    case .copied: notes.append("the state directory is a copy, or was restored from one")
    case .unnoted:
      notes.append(
        "the state directory may be a copy: the hub's runtime directory does not record how far its journal reached"
      )
    case .failed: notes.append("the disk had failed when the hub stopped: the last changes may be lost")
    case .rebooted: notes.append("the machine may have been restarted since, with a restored disk")
    case .asked: break
    case .unwritable:
      notes.append("the hub serves what it has read, but cannot yet record which revision numbers it uses")
    }
    if self != .kept, self != .fresh {
      notes.append("a new epoch begins: clients start over with the current values")
    }
    return notes
  }
}
