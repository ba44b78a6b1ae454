// What a state directory's bytes mean: which files contain the state, up to where, and whether something was lost. A
// function of bytes: it opens nothing and changes nothing.

package import HubCore
package import HubEngine

/// The content of one file of a state directory, borrowed.
package struct JournalFileBytes {
  package var name: String
  package var bytes: ByteView
}

/// How to recover a state directory: a field for each thing that one reading of its files found out, since recovery,
/// inspection and repair ask for different ones.
package struct RecoveryPlan: Sendable {
  /// A part of a file whose records count.
  package struct Source: Hashable, Sendable {
    /// The file's index among those that the plan was made from.
    package var file: Int
    package var name: JournalFileName
    package var salt: UInt64
    /// Where its last record that counts ends.
    package var end: Int
  }

  /// Bytes that are not a complete record, and that no record names as durable: the last writes, after a power failure or a kill.
  package struct Cut: Hashable, Sendable {
    package var file: String
    package var offset: Int
    /// How many bytes are given up, in this file and in later ones.
    package var bytes: Int
  }

  /// There is no state yet.
  package var isFresh = true
  package var snapshot: Source?
  /// The journal, oldest segment first.
  package var segments: [Source] = []
  /// Where the journal ends.
  package var end = JournalPosition.zero
  /// The journal was on the disk at least up to here.
  package var durable = JournalPosition.zero
  /// For changes up to here, the snapshot may already be newer.
  package var overlap = JournalPosition.zero
  package var epoch = Epoch(high: 0, low: 0)
  /// The boot and file of the last run, to compare with the current ones.
  package var boot = BootID.unknown
  package var origin = FileOrigin(inode: 0, birth: 0)
  /// Revisions and serial numbers up to these may have been used.
  package var revisionLimit: Revision = 0
  package var serialLimit: UInt64 = 0
  package var floor: Revision = 0
  /// The last life may have shown values that are not in the journal.
  package var unwritten = false
  /// The hub stopped cleanly.
  package var endedWell = false
  package var cut: Cut?
  /// The hub's files that are no longer needed.
  package var obsolete: [String] = []
  /// A number that no file has used.
  package var nextNumber: UInt64 = 1
  /// Records in `segments`.
  package var records = 0
}

extension RecoveryPlan {
  /// Reads the files of a state directory. Files that are not the hub's are ignored.
  ///
  /// - Throws: `JournalProblem` about damage, or about a newer format.
  package init(_ files: [JournalFileBytes]) throws(JournalProblem) {
    var found: [StateFile] = []
    for (index, file) in files.enumerated() {
      if JournalFileName.isTemporary(file.name) {
        obsolete.append(file.name)
        let name = JournalFileName(String(file.name.dropLast(4)))!
        nextNumber = max(nextNumber, name.number + 1)
      } else if let name = JournalFileName(file.name) {
        found.append(try StateFile(index, name, file))
      }
    }
    guard !found.isEmpty else { return }
    isFresh = false
    nextNumber = max(nextNumber, found.map(\.name.number).max()! + 1)
    let snapshots = found.filter { $0.name.kind == .snapshot }.sorted { $0.name.number < $1.name.number }
    let journal = found.filter { $0.name.kind == .journal }.sorted { $0.name.number < $1.name.number }

    // How far the state is durable is known only when all files have been read.
    if let newest = snapshots.last {
      let complete = try newest.scanSnapshot()
      snapshot = Source(
        file: newest.index, name: newest.name, salt: newest.header.salt, end: complete.end)
      overlap = complete.through
      durable = complete.through
    }
    let first = snapshot?.name.number ?? journal.first?.name.number ?? 0
    var scans: [SegmentScan] = []
    for segment in journal where segment.name.number >= first {
      let scan = SegmentScan(segment)
      durable = max(durable, scan.durable)
      scans.append(scan)
    }
    try link(scans, from: first)
    obsolete += (snapshots.dropLast() + journal.filter { $0.name.number < first }).map(\.name.description)
    obsolete += scans.filter { scan in !segments.contains { $0.file == scan.found.index } }
      .map(\.found.name.description)
    obsolete.sort()
  }

  /// Chains the segments, each up to the end that the next one records, and distinguishes a torn tail from damage.
  private mutating func link(
    _ scans: [SegmentScan], from first: UInt64
  ) throws(JournalProblem) {
    guard let oldest = scans.first(where: { $0.found.name.number == first }) else {
      throw JournalProblem(
        .damaged, JournalFileName(.journal, first).description,
        "it is missing, and \(name(of: scans)) needs it")
    }
    guard let head = oldest.head else {
      throw oldest.found.problem(JournalFileHeader.recordsStart, "its first record is incomplete")
    }
    if snapshot == nil, head.previous != .zero {
      throw JournalProblem(
        .damaged, JournalFileName(.journal, head.previous.segment).description,
        "it is missing, and so is a snapshot of what came before \(oldest.found.name)")
    }
    var chain = [oldest]
    // The newest one that continues it: a segment that began after a torn tail skips what was cut.
    while let next = scans.last(where: { $0.head?.previous.segment == chain.last!.found.name.number }) {
      chain.append(next)
    }
    for (index, scan) in chain.enumerated() {
      let limit = index + 1 < chain.count ? chain[index + 1].head!.previous.offset : Int.max
      // A record beyond the limit was refused when it was written: the next segment began elsewhere.
      let whole = try scan.take(upTo: limit, into: &self)
      let position = JournalPosition(segment: scan.found.name.number, offset: whole)
      segments.append(
        Source(file: scan.found.index, name: scan.found.name, salt: scan.salt, end: whole))
      end = position
      if limit != .max, whole < limit {
        try tear(scan, at: whole, later: chain[(index + 1)...])
        return
      }
    }
    // Those after the last one in the chain were prepared but not used, or lost their first record.
    let last = chain.last!
    let later = scans.filter { $0.found.name.number > last.found.name.number }
    if last.leftover > 0 || later.contains(where: { $0.leftoverOfAll > 0 }) || durable > end {
      try tear(last, at: end.offset, later: later[...])
    }
  }

  private mutating func tear(
    _ scan: SegmentScan, at offset: Int, later: ArraySlice<SegmentScan>
  ) throws(JournalProblem) {
    if durable > end {
      try findMissing(later, in: scan)
      throw scan.found.problem(
        offset, "there is no complete record, although the journal was on the disk up to \(durable)")
    }
    let bytes = scan.leftover(from: offset) + later.map(\.leftoverOfAll).reduce(0, +)
    endedWell = false
    if bytes > 0 { cut = Cut(file: scan.found.name.description, offset: offset, bytes: bytes) }
  }

  /// Throws if the segment that a later one continues is missing.
  private func findMissing(_ later: ArraySlice<SegmentScan>, in last: SegmentScan) throws(JournalProblem) {
    let known = [last.found.name.number] + later.map(\.found.name.number)
    for scan in later {
      guard let previous = scan.head?.previous.segment, !known.contains(previous) else { continue }
      throw JournalProblem(
        .damaged, JournalFileName(.journal, previous).description,
        "it is missing, and \(scan.found.name) continues from it")
    }
  }

  private func name(of scans: [SegmentScan]) -> String {
    (snapshot?.name ?? scans.first?.found.name).map(\.description) ?? "the directory"
  }

  /// Whether the journal has everything up to there.
  package func reaches(_ reach: JournalReach) -> Bool {
    end >= reach.end && segments.contains { $0.name.number == reach.end.segment && $0.salt == reach.salt }
  }

  /// Notes the content of a head or of another frame about the journal.
  fileprivate mutating func note(_ frame: JournalFrame) {
    switch frame {
    case .head(let head):
      if head.beginsLife { unwritten = false }
      epoch = head.epoch
      boot = head.boot
      origin = head.origin
      revisionLimit = head.revisionLimit
      serialLimit = head.serialLimit
      floor = head.floor
      unwritten = unwritten || head.unwritten
      endedWell = false
    case .reserved(let revision, let serial):
      revisionLimit = revision
      serialLimit = serial
      // A hub that has taken over begins with it.
      endedWell = false
    case .unwritten: unwritten = true
    case .ended(let revision, let serial, let settled):
      revisionLimit = revision
      serialLimit = serial
      endedWell = true
      if settled { unwritten = false }
    case .unstored, .lifetime, .removals, .snapshot, .complete, .access, .claim, .unclaimed: break
    }
  }
}

/// The content of one segment, before it is known how much of it counts.
private struct SegmentScan {
  let found: StateFile
  /// Its first frame, if its first record is complete.
  let head: JournalFrame.Head?
  /// The highest position that one of its marks or records names as durable.
  let durable: JournalPosition
  /// Where its complete records end.
  let wholeEnd: Int
  /// How many bytes follow, up to the last that is not zero.
  let leftover: Int

  init(_ found: StateFile) {
    self.found = found
    var scan = found.scan
    var durable = DurableMark.highest(in: found.bytes, found.header)
    while let (_, record) = scan.next() { durable = max(durable, record.durable) }
    wholeEnd = scan.offset
    leftover = scan.endOfBytes - scan.offset
    if leftover > 0 { durable = max(durable, scan.highestDurableBeyond()) }
    head = found.head
    self.durable = durable
  }

  var salt: UInt64 { found.header.salt }

  func leftover(from offset: Int) -> Int { max(wholeEnd + leftover, offset) - offset }
  var leftoverOfAll: Int { leftover(from: JournalFileHeader.recordsStart) }

  /// Notes what its records up to `limit` say about the journal.
  ///
  /// - Returns: where the last of them ends.
  func take(upTo limit: Int, into plan: inout RecoveryPlan) throws(JournalProblem) -> Int {
    var scan = RecordScan(found.bytes, found.header, known: wholeEnd)
    while scan.offset < limit, let (offset, record) = scan.next() {
      plan.records += 1
      var frames = FrameCursor(record.frames)
      while let frame = frames.next() {
        if let note = JournalFrame(frame) {
          plan.note(note)
        } else {
          // There are records after a clean end.
          plan.endedWell = false
        }
      }
      if !frames.isAtEnd { throw found.problem(offset, "a record ends within a frame") }
    }
    return scan.offset
  }
}
