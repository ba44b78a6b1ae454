// The explicit way forward from damage: what can be read becomes a new snapshot, and the files as they were stay beside it.
// A hub never does this by itself.

import CLinux
import Glibc
internal import HubCore

/// Why a repair was not begun, or not ended. The directory holds everything that it held.
package struct RepairFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  init(_ description: String) { self.description = description }
}

package enum Repair {
  package enum Outcome: Sendable {
    /// A hub starts from the directory as it is.
    case nothingWrong
    case repaired(Done)
  }

  package struct Done: Sendable {
    /// What was wrong.
    package var problem: JournalProblem
    package var stores: Int
    package var losses: [Salvage.Loss]
    /// Changes of stores that nothing that can be read describes.
    package var orphans: Int
    /// Where the files are as they were.
    package var originals: String
  }

  /// Repairs the directory, which no hub may be using. If it is interrupted the directory is as it was, or repaired.
  package static func run(_ path: String) throws(RepairFailure) -> Outcome {
    let now = Clocks.now
    var status = stat()
    if stat(path, &status) != 0 { throw RepairFailure("\(path): \(ServerError.text(of: errno))") }
    do {
      let directory = try StateDirectory(path, disk: Disk())
      let listing = try StateListing(path)
      guard let problem = problem(with: listing.files, now: now) else { return .nothingWrong }
      if problem.kind != .damaged { throw RepairFailure("\(problem)") }
      let salvage = Salvage(listing.files)
      let files = listing.files.map(\.name).filter {
        JournalFileName($0) != nil || JournalFileName.isTemporary($0)
      }
      let originals = try keep(files, in: directory)
      try write(salvage, to: directory, now: now)
      for name in files { _ = unlink(directory.file(name)) }
      fsync(directory.directory.raw)
      return .repaired(
        Done(
          problem: problem, stores: salvage.stores.count, losses: salvage.losses, orphans: salvage.orphans,
          originals: originals))
    } catch let failure as RepairFailure {
      throw failure
    } catch {
      throw RepairFailure("\(error)")
    }
  }

  /// Why a hub would not start from these files.
  private static func problem(with files: [JournalFileBytes], now: Instant) -> JournalProblem? {
    do throws(JournalProblem) {
      let plan = try RecoveryPlan(files)
      _ = try plan.engine(files, options: HubEngine.Options(), rule: .kept, boot: .unknown, now: now)
      return nil
    } catch {
      return error
    }
  }

  /// Gives the files a second name each, in a directory that is new.
  private static func keep(
    _ names: [String], in directory: borrowing StateDirectory
  ) throws(RepairFailure) -> String {
    var number = 1
    var path = directory.file("before-repair-1")
    while mkdir(path, 0o700) != 0 {
      guard errno == EEXIST else {
        throw RepairFailure("cannot create \(path): \(ServerError.text(of: errno))")
      }
      number += 1
      path = directory.file("before-repair-\(number)")
    }
    for name in names where link(directory.file(name), "\(path)/\(name)") != 0 {
      throw RepairFailure("cannot keep \(name) in \(path): \(ServerError.text(of: errno))")
    }
    let copy = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(copy) }
    guard copy >= 0, fsync(copy) == 0, fsync(directory.directory.raw) == 0 else {
      throw RepairFailure("cannot sync \(path): \(ServerError.text(of: errno))")
    }
    return path
  }

  /// A snapshot, and the segment that goes with it. The moment in which the snapshot gets its name decides: it is above
  /// all that was there.
  private static func write(
    _ salvage: Salvage, to directory: borrowing StateDirectory, now: Instant
  ) throws(StorageFailure) {
    let number = salvage.nextNumber
    let epoch = Epoch.random()
    let disk = Disk()
    let segment = try SegmentFile.create(number, in: directory, time: now.wall, disk: disk) { out, segment in
      let start = JournalRecord.begin(in: &out)
      JournalFrame.head(
        JournalFrame.Head(
          previous: .zero, epoch: epoch, boot: .unknown, origin: segment.origin,
          revisionLimit: salvage.revision,
          serialLimit: salvage.serial, floor: salvage.revision, beginsLife: true, unwritten: false)
      ).encode(into: &out)
      JournalFrame.ended(revision: salvage.revision, serial: salvage.serial, settled: true).encode(into: &out)
      JournalRecord.end(in: &out, from: start, salt: segment.header.salt, offset: start, durable: .zero)
    }
    close(segment.file)
    var snapshot = try SnapshotFile(number, in: directory, time: now.wall, disk: disk)
    var frames = OutputBuffer()
    JournalFrame.snapshot(
      epoch: epoch, revision: salvage.revision, serial: salvage.serial, floor: salvage.revision
    ).encode(into: &frames)
    for store in salvage.stores.values.sorted(by: { $0.state.revision < $1.state.revision }) {
      HubEvent.created(name: store.name, store.schema, store.state).encode(into: &frames)
      if let lifetime = store.lifetime {
        JournalFrame.lifetime(store.state.id, revision: store.state.revision, lifetime).encode(into: &frames)
      }
      if frames.count > 128 << 10 {
        try snapshot.append(frames.array)
        frames.clear()
      }
    }
    JournalFrame.complete(
      through: JournalPosition(segment: number, offset: JournalFileHeader.length),
      stores: UInt64(salvage.stores.count)
    ).encode(into: &frames)
    try snapshot.append(frames.array)
    _ = try snapshot.finish(in: directory)
  }
}
