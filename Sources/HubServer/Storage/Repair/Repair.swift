// Repairs damage on request: what can be read becomes a new snapshot, and the original files are kept next to it. A
// hub never does this by itself.

internal import HubCore
internal import HubEngine
internal import HubSystem

/// Why a repair was not begun, or not completed. The directory's content is unchanged.
package struct RepairFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  init(_ description: String) { self.description = description }
}

package enum Repair {
  package enum Outcome: Sendable {
    /// A hub can start from the directory as it is.
    case nothingWrong
    case repaired(Done)
  }

  package struct Done: Sendable {
    /// What was wrong.
    package var problem: JournalProblem
    package var stores: Int
    package var losses: [Salvage.Loss]
    /// Changes of stores that no earlier readable record describes.
    package var orphans: Int
    /// Other changes of the same transactions, which are salvaged as a whole or not at all.
    package var abandoned: Int
    /// Where the original files are.
    package var originals: String
  }

  /// The repair's current step, for progress reports.
  package enum Step: Sendable {
    /// Finding out what is wrong.
    case checking
    /// Searching this many bytes for what can be salvaged.
    case searching(bytes: Int)
    /// This many more of them are searched.
    case searched(bytes: Int)
    case writing
  }

  /// Repairs the directory, which no hub may be using. If it is interrupted, the directory is either unchanged or repaired.
  package static func run(
    _ path: String, progress: (Step) -> Void = { _ in }
  ) throws(RepairFailure) -> Outcome {
    Disk.takeLimitsAsErrors()
    _ = try SystemError.attempt(FileStatus(at: path)) { RepairFailure("\(path): \($0)") }
    do {
      let directory = try StateDirectory(path, disk: Disk())
      do {
        let outcome = try run(in: directory, progress)
        if case .nothingWrong = outcome { directory.discardNewLock() }
        return outcome
      } catch {
        directory.discardNewLock()
        throw error
      }
    } catch let failure as RepairFailure {
      throw failure
    } catch {
      throw RepairFailure("\(error)")
    }
  }

  private static func run(
    in directory: borrowing StateDirectory, _ progress: (Step) -> Void
  ) throws -> Outcome {
    let now = Clocks.now
    let listing = try StateListing(directory.path)
    progress(.checking)
    try refuseNewer(listing.files)
    guard let problem = listing.summary.problem else { return .nothingWrong }
    if problem.kind != .damaged { throw RepairFailure("\(problem)") }
    progress(.searching(bytes: listing.length))
    var salvage = Salvage(listing.files, now: now) { progress(.searched(bytes: $0)) }
    progress(.writing)
    let files = listing.files.filter {
      JournalFileName($0.name) != nil || JournalFileName.isTemporary($0.name)
    }
    let originals = try keep(files, in: directory)
    let stores: Int
    do throws(StorageFailure) {
      stores = try write(&salvage, to: directory, now: now)
    } catch {
      // They still have their original names.
      for file in files { File.remove("\(originals)/\(file.name)") }
      Directory.remove(originals)
      throw RepairFailure("cannot \(error)")
    }
    for file in files { File.remove(directory.file(file.name)) }
    _ = File.syncDirectory(directory.directory.raw)
    return .repaired(
      Done(
        problem: problem, stores: stores, losses: salvage.losses, orphans: salvage.orphans,
        abandoned: salvage.abandoned, originals: originals))
  }

  /// Throws if a file needs a newer hub, whatever else is wrong: its content is not given up.
  private static func refuseNewer(_ files: [JournalFileBytes]) throws(RepairFailure) {
    for file in files {
      guard let name = JournalFileName(file.name) else { continue }
      do throws(JournalProblem) {
        _ = try JournalFileHeader(identifying: file.bytes, named: name)
      } catch {
        if error.kind == .newer { throw RepairFailure("\(error)") }
      }
    }
  }

  /// Gives each file a second name, in a new directory.
  private static func keep(
    _ files: [JournalFileBytes], in directory: borrowing StateDirectory
  ) throws(RepairFailure) -> String {
    var number = 1
    var path = directory.file("before-repair-1")
    while let problem = Directory.create(path) {
      guard problem == .exists else { throw RepairFailure("cannot create \(path): \(problem)") }
      number += 1
      path = directory.file("before-repair-\(number)")
    }
    for file in files {
      if let problem = keep(file, directory.file(file.name), as: "\(path)/\(file.name)") {
        throw RepairFailure("cannot keep \(file.name) in \(path): \(problem)")
      }
    }
    do throws(SystemError) {
      let copy = try Descriptor(opening: path, .directory)
      if let problem = File.syncDirectory(copy.raw) ?? File.syncDirectory(directory.directory.raw) {
        throw problem
      }
    } catch {
      throw RepairFailure("cannot sync \(path): \(error)")
    }
    return path
  }

  private static func keep(_ file: JournalFileBytes, _ path: String, as kept: String) -> SystemError? {
    // A file system without hard links reports that, or refuses to make them.
    guard let problem = File.link(path, as: kept) else { return nil }
    if !problem.isUnsupported, problem != .notPermitted { return problem }
    do throws(SystemError) {
      let copy = try Descriptor(opening: kept, [.readAndWrite, .create, .exclusive])
      return File.write(file.bytes.buffer, to: copy.raw, at: 0) ?? File.sync(copy.raw)
    } catch {
      return error
    }
  }

  /// Writes a snapshot, and the segment that goes with it. The snapshot's renaming commits the repair: its number is above
  /// all existing ones.
  ///
  /// - Returns: how many stores it holds.
  private static func write(
    _ salvage: inout Salvage, to directory: borrowing StateDirectory, now: Instant
  ) throws(StorageFailure) -> Int {
    let number = salvage.nextNumber
    let (revision, serial) = (salvage.engine.revision, salvage.engine.lastSerial)
    var head = salvage.engine.head(
      previous: .zero, boot: .unknown, origin: FileOrigin(inode: 0, birth: 0), beginsLife: true)
    let segment = try SegmentFile.create(number, in: directory, time: now.wall, disk: Disk()) {
      out, segment in
      head.origin = segment.origin
      let start = JournalRecord.begin(in: &out)
      JournalFrame.head(head).encode(into: &out)
      JournalFrame.ended(revision: revision, serial: serial, settled: true).encode(into: &out)
      JournalRecord.end(in: &out, from: start, salt: segment.header.salt, offset: start, durable: .zero)
    }
    Descriptor.close(segment.file)
    do throws(StorageFailure) {
      return try writeSnapshot(salvage.engine, number, to: directory, now: now)
    } catch {
      File.remove(directory.file(JournalFileName(.journal, number).description))
      throw error
    }
  }

  private static func writeSnapshot(
    _ engine: borrowing HubEngine, _ number: UInt64, to directory: borrowing StateDirectory, now: Instant
  ) throws(StorageFailure) -> Int {
    var snapshot = try SnapshotFile(number, in: directory, time: now.wall, disk: Disk())
    let through = JournalPosition(segment: number, offset: JournalFileHeader.recordsStart)
    var cursor = SnapshotCursor()
    while true {
      let (frames, isComplete) = engine.snapshotPart(&cursor, through: through, now: now)
      try snapshot.append(frames)
      if isComplete { break }
    }
    _ = try snapshot.finish(in: directory)
    return Int(cursor.stores)
  }
}
