// Taking up a state directory: reading it, deciding, and beginning a new segment. Nothing is touched before all of it was read.

import CLinux
import Glibc
import HubCore

extension Journal {
  /// What a hub begins with.
  struct Opened: ~Copyable {
    var engine: HubEngine
    let journal: Journal

    consuming func takeEngine() -> HubEngine { engine }
  }

  /// - Parameters:
  ///   - notes: gets what a person should know.
  ///   - willRecover: is told how many bytes there are to be read, before they are.
  ///   - prepare: brings the recovered engine to what the configuration says, before anything is written.
  /// - Throws: `ServerError.stateDirectory` if the directory cannot be used, and what `prepare` throws.
  static func open(
    _ path: String, options: HubEngine.Options, boot: BootID, now: Instant, disk: Disk = Disk(),
    notes: inout [String], willRecover: (Int) -> Void = { _ in },
    prepare: (inout HubEngine) throws(ServerError) -> Void = { _ throws(ServerError) in }
  ) throws(ServerError) -> Opened {
    func refuse(_ reason: String) -> ServerError { .stateDirectory(path: path, reason: reason) }
    let directory = try StateDirectory(path, disk: disk)
    var options = options
    options.journals = true
    var plan: RecoveryPlan
    var engine: HubEngine
    let rule: EpochRule
    do throws(JournalProblem) {
      let files = try StateFiles(directory, try directory.hubFiles())
      let length = files.bytes.reduce(0) { $0 + $1.bytes.count }
      if length > 0 { willRecover(length) }
      plan = try RecoveryPlan(files.bytes)
      let newest = plan.segments.last.map { files.bytes[$0.file].name }
      rule = EpochRule(plan, boot: boot, origin: newest.map { origin(of: directory.file($0)) } ?? plan.origin)
      engine = try plan.engine(files.bytes, options: options, rule: rule, boot: boot, now: now)
      _ = consume files
    } catch {
      throw refuse(error.description)
    }
    notes += rule.notes(plan)
    try prepare(&engine)
    do throws(StorageFailure) {
      let state = try begin(plan, &engine, directory, boot: boot, now: now, disk: disk)
      return Opened(engine: engine, journal: try Journal(state, directory: directory, disk: disk))
    } catch {
      throw refuse("cannot \(error)")
    }
  }

  /// Begins a segment behind those of the plan, with what the engine has to tell.
  private static func begin(
    _ plan: RecoveryPlan, _ engine: inout HubEngine, _ directory: borrowing StateDirectory,
    boot: BootID, now: Instant, disk: Disk
  ) throws(StorageFailure) -> JournalState {
    // What the new segment says about the old ones has to be true whatever happens to the machine next.
    for source in plan.segments { try syncOld(directory.file(source.name.description), disk) }
    var head = engine.head(
      previous: plan.end, boot: boot, origin: FileOrigin(inode: 0, birth: 0), beginsLife: true)
    var offset = JournalFileHeader.length
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
      files: (plan.snapshot.map { [$0.name] } ?? []) + plan.segments.map(\.name)
        + [JournalFileName(.journal, number)],
      segmentBytes: plan.segments.reduce(0) { $0 + $1.end }, snapshotBytes: plan.snapshot?.end ?? 0,
      nextNumber: number + 1)
  }

  private static func syncOld(_ path: String, _ disk: Disk) throws(StorageFailure) {
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 { throw StorageFailure("open \(path)", errno) }
    defer { close(file) }
    let problem = disk.sync(file, .recoverSync)
    if problem != 0 { throw StorageFailure("sync \(path)", problem) }
  }

  private static func origin(of path: String) -> FileOrigin {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return FileOrigin(inode: 0, birth: 0) }
    defer { close(file) }
    return FileOrigin(of: file)
  }
}

extension StateDirectory {
  fileprivate func hubFiles() throws(JournalProblem) -> [String] {
    do throws(ServerError) {
      return try names().filter { JournalFileName($0) != nil || JournalFileName.isTemporary($0) }
    } catch {
      throw JournalProblem(.unreadable, ".", error.description)
    }
  }
}

/// The files of a state directory, mapped.
struct StateFiles: ~Copyable {
  private var mappings: [UnsafeMutablePointer<MappedFile>] = []
  private(set) var bytes: [JournalFileBytes] = []

  init(_ directory: borrowing StateDirectory, _ names: [String]) throws(JournalProblem) {
    for name in names {
      // What is not complete is not read.
      if JournalFileName.isTemporary(name) {
        bytes.append(
          JournalFileBytes(name: name, bytes: ByteView(UnsafeRawBufferPointer(start: nil, count: 0))))
        continue
      }
      let file = try MappedFile(directory.file(name), name: name)
      bytes.append(JournalFileBytes(name: name, bytes: file.bytes))
      let place = UnsafeMutablePointer<MappedFile>.allocate(capacity: 1)
      place.initialize(to: file)
      mappings.append(place)
    }
  }

  deinit {
    for mapping in mappings {
      mapping.deinitialize(count: 1)
      mapping.deallocate()
    }
  }
}

extension HubEngine {
  /// The first frame of a segment that begins now.
  mutating func head(
    previous: JournalPosition, boot: BootID, origin: FileOrigin, beginsLife: Bool
  ) -> JournalFrame.Head {
    renewReservation()
    return JournalFrame.Head(
      previous: previous, epoch: epoch, boot: boot, origin: origin, revisionLimit: reserved.revision,
      serialLimit: reserved.serial, floor: bookmarkFloor, beginsLife: beginsLife, unwritten: hasToldUnwritten)
  }
}

extension EpochRule {
  func notes(_ plan: RecoveryPlan) -> [String] {
    var notes: [String] = []
    if let cut = plan.cut {
      let reason =
        self == .kept
        ? "of a write that was not done when the hub was killed" : "which had not reached the disk as a whole"
      notes.append("\(cut.file): cut \(cut.bytes) bytes at offset \(cut.offset), \(reason)")
    }
    switch self {
    case .fresh, .kept, .cut: break
    case .powerLoss:
      notes.append("the machine went down before the hub had stopped: the last changes may be lost")
    case .copied: notes.append("the state directory is a copy, or was restored from one")
    }
    if self != .kept, self != .fresh {
      notes.append("a new epoch begins: clients start over with the values of now")
    }
    return notes
  }
}
