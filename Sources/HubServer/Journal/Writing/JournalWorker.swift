// The one thread that waits for the disk: it syncs, prepares, and writes snapshots, so that the loop never waits. It decides
// nothing.

import CLinux
import Glibc
import HubCore
import Synchronization

/// What the loop and its thread tell each other. The loop gives at most one job at a time, so nothing here grows.
final class JournalWorker: Sendable {
  enum Job: Sendable {
    /// A new segment; `anew`: first the directory is made again if it is not where it belongs.
    case createSegment(UInt64, time: Int64, anew: Bool)
    case writeSnapshot(SnapshotPart)
    case abandonSnapshot
  }

  /// A run of frames for the snapshot of a segment.
  struct SnapshotPart: Sendable {
    var number: UInt64
    var time: Int64
    var isFirst: Bool
    var frames: [UInt8]
    /// With the last part: the snapshot counts once the journal is on the disk up to here; then these files go.
    var completes: (through: JournalPosition, obsolete: [String])?
  }

  enum Report: Sendable {
    case segment(Result<SegmentFile, StorageFailure>)
    /// A part of the snapshot was written; with the last one, how long it is.
    case snapshot(Result<Int, StorageFailure>)
    case prepared(Int)
    /// The directory is not where it belongs any more.
    case displaced
  }

  private struct Shared {
    var file: Int32
    /// Segments that were left behind and may not be on the disk yet: they go first.
    var retired: [Int32] = []
    /// The journal is written up to here.
    var written: JournalPosition
    /// Somebody waits for the journal to be on the disk up to here.
    var wanted: JournalPosition
    /// When, in CLOCK_BOOTTIME nanoseconds, what is written has to go to the disk at the latest.
    var deadline: UInt64?
    var job: Job?
    var preparation: (file: Int32, from: Int, to: Int)?
    var reports: [Report] = []
    var problem: StorageFailure?
    var isWaiting = false
    var stops = false
  }

  /// Touched by the worker's thread only, while it runs.
  private struct Place: ~Copyable {
    var directory: StateDirectory
    var snapshot: SnapshotFile?
  }

  private let shared: Mutex<Shared>
  private let place: Mutex<Place>
  /// The file that is written to, and where its records end, also the one that is being written. Whoever prepares room ahead
  /// holds this meanwhile, for as long as 64 KiB of zeroes take.
  private let records: Mutex<(file: Int32, end: Int)>
  private let disk: Disk
  /// The raw position up to which the journal is known to be on the disk.
  private let durableRaw: Atomic<UInt64>
  private let isSyncBroken = Atomic<Bool>(false)
  let syncTimes = SyncTimes()
  private let wake: Descriptor
  /// Readable when there is something new for the loop.
  let done: Descriptor

  init(
    _ directory: consuming StateDirectory, segment: SegmentFile, end: JournalPosition,
    durable: JournalPosition, disk: Disk
  ) throws(StorageFailure) {
    do throws(ServerError) {
      wake = try Descriptor(clinux_eventfd(), from: "eventfd")
      done = try Descriptor(clinux_eventfd(), from: "eventfd")
    } catch {
      throw StorageFailure("make an eventfd", error.code)
    }
    shared = Mutex(Shared(file: segment.file, written: end, wanted: durable))
    records = Mutex((segment.file, end.offset))
    place = Mutex(Place(directory: directory))
    durableRaw = Atomic(durable.raw)
    self.disk = disk
  }

  // MARK: For the loop

  var durable: JournalPosition { JournalPosition(raw: durableRaw.load(ordering: .acquiring)) }

  /// The disk did not confirm what was written: nothing in that file is counted on any more.
  var syncProblem: StorageFailure? {
    isSyncBroken.load(ordering: .acquiring) ? shared.withLock { $0.problem } : nil
  }

  /// The journal was written up to `end`.
  ///
  /// - Parameter deadline: when it has to be on the disk at the latest; nil: at once, somebody waits for it.
  func wrote(_ end: JournalPosition, deadline: UInt64?) {
    let mustWake = shared.withLock { shared in
      shared.written = end
      if let deadline {
        if shared.deadline != nil { return false }
        shared.deadline = deadline
      } else {
        shared.wanted = end
      }
      return takeWaiting(&shared)
    }
    if mustWake { clinux_notify(wake.raw) }
  }

  /// A job was given and is not done.
  var isBusy: Bool { shared.withLock { $0.job != nil } }

  func start(_ job: Job) {
    let mustWake = shared.withLock { shared in
      precondition(shared.job == nil, "one job at a time")
      shared.job = job
      return takeWaiting(&shared)
    }
    if mustWake { clinux_notify(wake.raw) }
  }

  /// Records of the present file will end here: no zeroes are written before that from now on.
  func willWrite(to end: Int) { records.withLock { $0.end = max($0.end, end) } }

  func prepare(_ file: Int32, from: Int, to: Int) {
    let mustWake = shared.withLock { shared in
      shared.preparation = (file, from, to)
      return takeWaiting(&shared)
    }
    if mustWake { clinux_notify(wake.raw) }
  }

  /// From now on the journal goes on in another file. The old one is synced once more, and then closed.
  ///
  /// - Parameter forgets: the old one is not counted on any more.
  func turn(to segment: SegmentFile, at start: JournalPosition, forgets: Bool) {
    // Room in the old file is not needed any more, and its number may soon be another file's.
    records.withLock { $0 = (segment.file, start.offset) }
    shared.withLock { shared in
      shared.retired.append(shared.file)
      if forgets {
        for file in shared.retired { close(file) }
        shared.retired = []
        shared.problem = nil
        shared.deadline = nil
        isSyncBroken.store(false, ordering: .releasing)
      }
      shared.preparation = nil
      shared.file = segment.file
      shared.written = start
    }
  }

  /// What the thread has done since it was asked last.
  func takeReports() -> [Report] {
    clinux_unnotify(done.raw)
    return shared.withLock { shared in
      defer { shared.reports = [] }
      return shared.reports
    }
  }

  private func takeWaiting(_ shared: inout Shared) -> Bool {
    defer { shared.isWaiting = false }
    return shared.isWaiting
  }

  /// The directory's and the lock's descriptors. While the thread runs, they may change.
  var directoryDescriptors: (path: String, directory: Int32, lock: Int32) {
    place.withLock { ($0.directory.path, $0.directory.directory.raw, $0.directory.lock.raw) }
  }

  // MARK: The thread

  /// Starts the thread. It has the caller's signal mask.
  func run() throws(ServerError) -> pthread_t {
    shared.withLock { $0.stops = false }
    var thread = pthread_t()
    let problem = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<JournalWorker>.fromOpaque(argument!).takeRetainedValue().work()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    if problem != 0 { throw .system(call: "pthread_create", code: problem) }
    return thread
  }

  /// Syncs what was written, and ends the thread. A job that was not begun is left.
  func stop(_ thread: pthread_t) {
    shared.withLock {
      $0.stops = true
      $0.isWaiting = false
    }
    clinux_notify(wake.raw)
    pthread_join(thread, nil)
  }

  private enum Task {
    case sync([Int32], JournalPosition, isWanted: Bool)
    case prepare(file: Int32, from: Int, to: Int)
    case job(Job)
    case wait(Int32)
    case stop
  }

  private func work() {
    while true {
      switch next() {
      case .sync(let files, let end, let isWanted):
        sync(files, end)
        if !isWanted, !place.withLock({ $0.directory.isInPlace }) { report(.displaced) }
      case .prepare(let file, let from, let to):
        let problem = SegmentFile.prepare(file, from: from, to: to, disk: disk) { body in
          records.withLock { $0.file == file ? body($0.end) : nil }
        }
        // Without room ahead writing goes on, only slower; what really fails shows when it is written.
        report(.prepared(problem == 0 ? to : from))
      case .job(let job): perform(job)
      case .wait(let milliseconds):
        var poll = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, milliseconds)
        clinux_unnotify(wake.raw)
      case .stop: return
      }
    }
  }

  private func next() -> Task {
    shared.withLock { shared in
      let isBehind = shared.problem == nil && shared.written > durable
      if isBehind {
        let isWanted = shared.wanted > durable
        if isWanted || shared.stops || shared.deadline.map({ $0 <= Clocks.now.boot }) ?? false {
          shared.deadline = nil
          return .sync(shared.retired + [shared.file], shared.written, isWanted: isWanted)
        }
      }
      if shared.stops { return .stop }
      if let preparation = shared.preparation {
        return .prepare(file: preparation.file, from: preparation.from, to: preparation.to)
      }
      if let job = shared.job { return .job(job) }
      shared.isWaiting = true
      guard isBehind, let deadline = shared.deadline else { return .wait(-1) }
      let now = Clocks.now.boot
      return .wait(deadline <= now ? 0 : Int32(clamping: (deadline - now) / 1_000_000 + 1))
    }
  }

  private func sync(_ files: [Int32], _ end: JournalPosition) {
    var problem: Int32 = 0
    let start = Clocks.boot
    for file in files where problem == 0 { problem = disk.sync(file, .sync) }
    if problem == 0 { syncTimes.add(from: start, to: Clocks.boot) }
    shared.withLock { shared in
      if problem == 0 {
        durableRaw.store(end.raw, ordering: .releasing)
        // Those were synced for the last time.
        for file in files.dropLast() where shared.retired.first == file {
          shared.retired.removeFirst()
          close(file)
        }
      } else if shared.file == files.last {
        shared.problem = StorageFailure("sync the journal", problem)
        isSyncBroken.store(true, ordering: .releasing)
      }
    }
    clinux_notify(done.raw)
  }

  private func report(_ report: Report) {
    shared.withLock { shared in
      if case .prepared = report { shared.preparation = nil }
      shared.reports.append(report)
    }
    clinux_notify(done.raw)
  }

  private func perform(_ job: Job) {
    switch job {
    case .createSegment(let number, let time, let anew):
      let result = place.withLock { place in
        Result { () throws(StorageFailure) in
          if anew, !place.directory.isInPlace {
            do throws(ServerError) {
              place.directory = try StateDirectory(place.directory.path, disk: disk)
            } catch {
              throw StorageFailure("make the state directory", ENOENT)
            }
          }
          return try SegmentFile.create(number, in: place.directory, time: time, disk: disk)
        }
      }
      finish(.segment(result))
    case .writeSnapshot(let part):
      let result = place.withLock { place in
        Result { () throws(StorageFailure) in try write(part, &place) }
      }
      finish(.snapshot(result))
    case .abandonSnapshot:
      place.withLock { $0.snapshot = nil }
      shared.withLock { $0.job = nil }
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
    guard place.snapshot != nil else { throw StorageFailure("write the snapshot", EBADF) }
    try place.snapshot!.append(part.frames)
    guard let (through, obsolete) = part.completes else { return 0 }
    // It tells what the journal had told up to there: that must not be lost when this is there.
    if through > durable {
      let (files, end) = shared.withLock { ($0.retired + [$0.file], $0.written) }
      sync(files, end)
      if through > durable { throw StorageFailure("sync the journal", EIO) }
    }
    let length = try place.snapshot!.finish(in: place.directory)
    place.snapshot = nil
    for name in obsolete { _ = disk.unlink(place.directory.file(name), .unlink) }
    _ = disk.syncDirectory(place.directory.directory.raw, .unlinkSyncDirectory)
    return length
  }

  // MARK: Handing over

  /// What another program takes over in place of a recovery, when the thread has ended.
  func withDirectory<R>(_ body: (borrowing StateDirectory) -> R) -> R {
    place.withLock { body($0.directory) }
  }
}
