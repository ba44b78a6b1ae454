// What can be salvaged from a damaged state directory: a replay of every whole record, across the gaps, that skips what
// cannot be applied. A function of bytes, and the reverse of strict recovery, which stops at the first doubt.

package import HubCore
package import HubEngine

/// The salvaged stores, and what was given up for them.
package struct Salvage: ~Copyable {
  /// Something that could not be read.
  package struct Loss: Hashable, Sendable, CustomStringConvertible {
    package var file: String
    package var offset: Int
    /// Up to the next whole record, or the end of what is not zero.
    package var bytes: Int
    package var reason: String

    package var description: String { "\(file), offset \(offset), \(bytes) bytes: \(reason)" }
  }

  /// The state, in a separate epoch: the lost part may have contained newer values.
  package var engine: HubEngine
  package private(set) var losses: [Loss] = []
  /// Whole records that count.
  package private(set) var records = 0
  /// Above the numbers of all files.
  package private(set) var nextNumber: UInt64 = 1
  /// Changes of stores that no earlier readable record describes.
  package private(set) var orphans = 0
  /// Readable changes in transactions that contain an orphan.
  package private(set) var abandoned = 0
  /// At or above all numbers that were seen, or announced.
  private var revision: Revision = 0
  private var serial: UInt64 = 0
  /// Frames before this may be about stores that a whole snapshot no longer has.
  private var overlap = JournalPosition.zero

  /// - Parameter progress: called from time to time with the number of bytes read.
  package init(_ files: [JournalFileBytes], now: Instant, progress: (Int) -> Void = { _ in }) {
    engine = Salvage.emptyEngine(now)
    var readable: [StateFile] = []
    for (index, file) in files.enumerated() {
      guard !JournalFileName.isTemporary(file.name), let name = JournalFileName(file.name) else { continue }
      nextNumber = max(nextNumber, name.number + 1)
      do throws(JournalProblem) {
        readable.append(try StateFile(index, name, file, salvages: true))
      } catch {
        losses.append(Loss(file: file.name, offset: 0, bytes: file.bytes.count, reason: error.reason))
      }
    }
    // A snapshot comes before the segment with the same number.
    readable.sort {
      ($0.name.number, $0.name.kind == .journal ? 1 : 0) < ($1.name.number, $1.name.kind == .journal ? 1 : 0)
    }
    // Where segments end, according to those that continue them, of which the newest counts. The bytes that follow were refused, or cut at an earlier
    // start.
    var limits: [UInt64: Int] = [:]
    for file in readable where file.name.kind == .journal {
      if let previous = file.head?.previous { limits[previous.segment] = previous.offset }
    }
    for file in readable {
      if file.name.kind == .snapshot, let through = try? file.scanSnapshot().through {
        // It has everything itself.
        engine = Salvage.emptyEngine(now)
        overlap = through
      }
      take(file, upTo: file.name.kind == .journal ? limits[file.name.number] : nil, progress)
    }
    engine.finishRestoring(revision: revision, serial: serial, floor: revision, isSameBoot: false, now: now)
  }

  private static func emptyEngine(_ now: Instant) -> HubEngine {
    var options = HubEngine.Options()
    options.journals = true
    return HubEngine(options: options, epoch: .random(), now: now)
  }

  private static let progressBytes = 1 << 20

  private mutating func take(_ file: StateFile, upTo limit: Int?, _ progress: (Int) -> Void) {
    let name = file.name.description
    var scan = file.scan
    var told = 0
    while let piece = scan.nextPiece(before: limit) {
      switch piece {
      case .record(let record, let offset):
        records += 1
        // A snapshot's frames are not changes that could miss their store.
        let position = JournalPosition(segment: file.name.number, offset: offset)
        let overlaps = file.name.kind == .snapshot || position < overlap
        if let reason = take(record, overlaps) {
          losses.append(Loss(file: name, offset: offset, bytes: scan.offset - offset, reason: reason))
        }
      case .gap(let bytes):
        losses.append(
          Loss(file: name, offset: bytes.lowerBound, bytes: bytes.count, reason: "an incomplete record"))
      }
      if scan.offset - told > Salvage.progressBytes {
        progress(scan.offset - told)
        told = scan.offset
      }
    }
    progress(max(0, file.bytes.count - told))
    let missing = Int(clamping: file.header.length) - file.bytes.count
    if missing > 0 {
      losses.append(
        Loss(file: name, offset: file.bytes.count, bytes: missing, reason: "the file is shorter than it was"))
    }
  }

  // MARK: Records

  /// - Returns: why part of it cannot be applied.
  private mutating func take(_ record: JournalRecord, _ overlaps: Bool) -> String? {
    var frames = FrameCursor(record.frames)
    var transaction: [FrameView] = []
    var reason: String?
    while let frame = frames.next() {
      note(frame)
      transaction.append(frame)
      // Lifetimes lie between its changes.
      if frame.announcesMore || transaction.count > 1 && !frame.isChange { continue }
      reason = take(transaction, overlaps) ?? reason
      transaction.removeAll(keepingCapacity: true)
    }
    return take(transaction, overlaps) ?? reason
  }

  /// Applies a transaction as a whole, or not at all.
  private mutating func take(_ transaction: [FrameView], _ overlaps: Bool) -> String? {
    var created: Set<StoreID> = []
    var missing = 0
    for frame in transaction where !overlaps && frame.isChange {
      if engine.missesStore(of: frame, besides: created) { missing += 1 }
      if let store = KeptStore(frame) { created.insert(store.state.id) }
    }
    if missing > 0 {
      orphans += missing
      abandoned += transaction.count(where: \.isChange) - missing
      return nil
    }
    var reason: String?
    for frame in transaction {
      do throws(HubError) {
        try apply(frame)
      } catch {
        reason = error.message
      }
    }
    return reason
  }

  private mutating func apply(_ frame: FrameView) throws(HubError) {
    guard frame.rawKind == PackedStores.kind else { return try engine.recover(frame, overlaps: true) }
    // One by one: older files may have left stores in any order.
    var stores = OutputBuffer()
    PackedStores.each(in: frame) { $0.encode(into: &stores) }
    var frames = FrameCursor(stores.view)
    while let frame = frames.next() {
      note(frame)
      try engine.recover(frame, overlaps: true)
    }
  }

  /// Notes the numbers that were used according to a frame.
  private mutating func note(_ frame: FrameView) {
    switch JournalFrame(frame) {
    case .head(let head)?: note(head.revisionLimit, head.serialLimit)
    case .reserved(let revision, let serial)?, .ended(let revision, let serial, _)?,
      .snapshot(_, let revision, let serial, _)?:
      note(revision, serial)
    case .unstored(let id, let revision, _)?: note(revision, id.serial)
    case .some: break
    case nil:
      if let (revision, id) = frame.changedStore { note(revision, id.serial) }
    }
  }

  private mutating func note(_ revision: Revision, _ serial: UInt64) {
    self.revision = max(self.revision, revision)
    self.serial = max(self.serial, serial)
  }
}

extension FrameView {
  fileprivate var isChange: Bool { EventKind(rawValue: rawKind)?.isChange == true }
  /// More of the same transaction follows.
  fileprivate var announcesMore: Bool { isChange && flags & EventLayout.more != 0 }
}
