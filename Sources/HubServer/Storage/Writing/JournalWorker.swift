// The only thread that waits for the disk: it syncs, makes segments and writes snapshots, so that the loop never waits. It decides
// nothing.

import HubCore
import HubEngine
import HubSystem
import Synchronization

/// What the loop and its thread share. The loop gives at most one job at a time, so nothing here grows.
final class JournalWorker: Sendable {
  let shared: Mutex<Shared>
  let state: Mutex<WorkerState>
  /// The file being written to. Once it is replaced here, its number may be reused.
  private struct Writing {
    var file: Int32
    var marks: MarkWriter?
  }

  /// Held while a mark is written.
  private let writing: Mutex<Writing>
  let disk: Disk
  /// The raw position up to which the journal is known to be on the disk.
  private let durableRaw: Atomic<UInt64>
  private let isSyncBroken = Atomic<Bool>(false)
  /// Since when the thread waits for the disk, in CLOCK_BOOTTIME nanoseconds; 0: it does not.
  private let waitsSince = Atomic<UInt64>(0)
  let syncTimes = SyncTimes()
  private let wake: Wakeup
  /// Readable when there is news for the loop.
  let done: Wakeup

  /// - Parameters:
  ///   - written: where the last whole record ends, in this segment or in an earlier one.
  ///   - hasMark: the segment has a mark that may not be on the disk.
  init(
    _ directory: consuming StateDirectory, segment: SegmentFile, written: JournalPosition,
    durable: JournalPosition, hasMark: Bool, disk: Disk
  ) throws(StorageFailure) {
    do throws(SystemError) {
      wake = try Wakeup()
      done = try Wakeup()
    } catch {
      throw StorageFailure("make an eventfd", error)
    }
    shared = Mutex(
      Shared(file: segment.file, written: written, wanted: durable, ownership: directory.ownership))
    if hasMark { shared.withLock { $0.markDeadline = SystemClock.boot + Journal.syncDelay } }
    writing = Mutex(Writing(file: segment.file, marks: segment.marks))
    state = Mutex(WorkerState(directory: directory))
    durableRaw = Atomic(durable.raw)
    self.disk = disk
  }

  // MARK: For the loop

  var durable: JournalPosition { JournalPosition(raw: durableRaw.load(ordering: .acquiring)) }

  /// The disk did not confirm what was written: nothing in that file can be relied on.
  var syncProblem: StorageFailure? {
    isSyncBroken.load(ordering: .acquiring) ? shared.withLock { $0.problem } : nil
  }

  /// The journal was written up to `end`.
  ///
  /// - Parameter deadline: the latest time for the sync; nil: at once, a reply waits for it.
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
    if mustWake { wake.signal() }
  }

  /// Since when the thread has been waiting for the disk; nil: it is not.
  var diskSince: UInt64? {
    let since = waitsSince.load(ordering: .relaxed)
    return since == 0 ? nil : since
  }

  /// Whether a job was given and is not done.
  var isBusy: Bool { shared.withLock { $0.job != nil } }

  func start(_ job: Job) {
    let mustWake = shared.withLock { shared in
      precondition(shared.job == nil, "one job at a time")
      shared.job = job
      return takeWaiting(&shared)
    }
    if mustWake { wake.signal() }
  }

  /// Switches to another file, which has its first record. The old one is synced again, and then closed.
  ///
  /// - Parameter forgets: the old file is not relied on any more.
  func rotate(to segment: SegmentFile, forgets: Bool) {
    // The old file's number may soon be another file's.
    writing.withLock { $0 = Writing(file: segment.file, marks: segment.marks) }
    shared.withLock { shared in
      shared.retired.append(shared.file)
      shared.markDeadline = nil
      if forgets {
        for file in shared.retired { Descriptor.close(file) }
        shared.retired = []
        shared.problem = nil
        shared.deadline = nil
        isSyncBroken.store(false, ordering: .releasing)
        shared.written = durable
      }
      shared.file = segment.file
    }
  }

  /// What the thread has done since the last call.
  func takeReports() -> [Report] {
    done.clear()
    return shared.withLock { shared in
      defer { shared.reports = [] }
      return shared.reports
    }
  }

  private func takeWaiting(_ shared: inout Shared) -> Bool {
    defer { shared.isWaiting = false }
    return shared.isWaiting
  }

  /// The directory's and the lock's descriptors. They may change while the thread runs.
  var directoryDescriptors: (path: String, directory: Int32, lock: Int32) {
    state.withLock { ($0.directory.path, $0.directory.directory.raw, $0.directory.lock) }
  }

  /// The marks of the file being written to.
  var marks: MarkWriter? { writing.withLock { $0.marks } }

  /// What makes this hub the directory's owner. It changes when the directory is taken again.
  var ownership: Ownership { shared.withLock { $0.ownership } }

  // MARK: The thread

  /// Starts the thread. It has the caller's signal mask.
  func run() throws(ServerError) -> SystemThread {
    shared.withLock { $0.stops = false }
    return try ServerError.attempt("pthread_create", SystemThread.start { self.work() })
  }

  /// Ends the thread. A job that was not begun is dropped.
  ///
  /// - Parameter syncs: what was written is synced before.
  func stop(_ thread: SystemThread, syncs: Bool) {
    shared.withLock {
      $0.stops = true
      $0.syncsAtEnd = syncs
      $0.isWaiting = false
    }
    wake.signal()
    thread.join()
  }

  private enum Task {
    case sync([Int32], JournalPosition, isWanted: Bool)
    /// Sync the last mark.
    case settle(Int32)
    case job(Job)
    case wait(Int32)
    case stop

    /// The disk may keep the thread waiting.
    var meansWaiting: Bool {
      switch self {
      case .sync, .settle, .job: true
      case .wait, .stop: false
      }
    }
  }

  private func work() {
    // Replies wait for it. If that is impossible, they wait longer.
    _ = SystemThread.wakeSooner()
    syncTimes.look(at: shared.withLock { $0.file }, now: SystemClock.boot)
    while true {
      let task = next()
      if task.meansWaiting { waitsSince.store(SystemClock.boot, ordering: .relaxed) }
      defer { waitsSince.store(0, ordering: .relaxed) }
      switch task {
      case .sync(let files, let end, let isWanted):
        sync(files, end)
        if !isWanted, let problem = ownership.problem { report(.lost(problem)) }
      case .settle(let file): settle(file)
      case .job(let job): perform(job)
      case .wait(let milliseconds): wake.wait(milliseconds: milliseconds)
      case .stop: return
      }
    }
  }

  private func next() -> Task {
    shared.withLock { shared in
      if shared.stops, !shared.syncsAtEnd { return .stop }
      let isBehind = shared.problem == nil && shared.written > durable
      if isBehind {
        let isWanted = shared.wanted > durable
        if isWanted || shared.stops || shared.deadline.map({ $0 <= SystemClock.boot }) ?? false {
          shared.deadline = nil
          return .sync(shared.retired + [shared.file], shared.written, isWanted: isWanted)
        }
      }
      if shared.stops { return .stop }
      if let job = shared.job { return .job(job) }
      let now = SystemClock.boot
      if !isBehind, shared.problem == nil, let deadline = shared.markDeadline, deadline <= now {
        shared.markDeadline = nil
        return .settle(shared.file)
      }
      shared.isWaiting = true
      // The next write's sync includes the mark.
      guard let deadline = isBehind ? shared.deadline : shared.markDeadline else { return .wait(-1) }
      return .wait(deadline <= now ? 0 : Int32(clamping: (deadline - now) / 1_000_000 + 1))
    }
  }

  func sync(_ files: [Int32], _ end: JournalPosition) {
    var problem: SystemError?
    let start = SystemClock.boot
    for file in files where problem == nil { problem = disk.sync(file, .sync) }
    let time = SystemClock.boot &- start
    if problem == nil { syncTimes.add(from: start, to: start &+ time) }
    if time >= Journal.slowSync { report(.slow(time)) }
    syncTimes.look(at: files.last!, now: SystemClock.boot)
    // Before anyone is notified: even after a kill, writes that were acknowledged as synced are known to be on the disk.
    let isMarked = problem == nil && writeMark(end, in: files.last!)
    shared.withLock { shared in
      guard let problem else {
        durableRaw.store(end.raw, ordering: .releasing)
        if isMarked, shared.file == files.last { shared.markDeadline = SystemClock.boot + Journal.syncDelay }
        // These segments were synced for the last time.
        for file in files.dropLast() where shared.retired.first == file {
          shared.retired.removeFirst()
          Descriptor.close(file)
        }
        return
      }
      if shared.file == files.last { fail(&shared, problem) }
    }
    done.signal()
  }

  private func fail(_ shared: inout Shared, _ problem: SystemError) {
    shared.problem = StorageFailure("sync the journal", problem)
    isSyncBroken.store(true, ordering: .releasing)
  }

  /// Names a synced position in the segment's next mark. The mark itself is synced next time. If it cannot be written, the
  /// records are still on the disk, and the next sync tries again.
  ///
  /// - Returns: whether it was written.
  private func writeMark(_ end: JournalPosition, in file: Int32) -> Bool {
    var bytes = OutputBuffer(capacity: DurableMark.length)
    return writing.withLock { writing in
      // Otherwise the number may already be another file's.
      guard writing.file == file, let offset = writing.marks?.take(end, into: &bytes) else { return false }
      return disk.write(bytes.view, to: file, at: offset, .mark) == nil
    }
  }

  private func settle(_ file: Int32) {
    let problem = disk.sync(file, .markSync)
    shared.withLock { shared in
      if let problem, shared.file == file { fail(&shared, problem) }
    }
    done.signal()
  }

  func report(_ report: Report) {
    shared.withLock { shared in
      shared.reports.append(report)
    }
    done.signal()
  }

  // MARK: When the thread has ended

  /// Syncs what the thread has left, with one call for each file.
  ///
  /// - Returns: whether everything is on the disk.
  func syncRest() -> Bool {
    let (files, end) = shared.withLock { ($0.retired + [$0.file], $0.written) }
    if syncProblem == nil, end > durable { sync(files, end) }
    return syncProblem == nil && end <= durable
  }
}
