// What can be salvaged from a damaged state directory: every whole record, in the journal's order, across the gaps. A
// function of bytes, and the reverse of strict recovery, which stops at the first doubt.

package import HubCore
package import HubEngine

/// The salvaged stores, and what was given up for them.
package struct Salvage: Sendable {
  /// A file whose records can be distinguished from other bytes.
  private struct Found {
    let name: JournalFileName
    let bytes: ByteView
    let header: JournalFileHeader

    var scan: RecordScan { RecordScan(bytes, header) }
  }

  /// Something that could not be read.
  package struct Loss: Hashable, Sendable, CustomStringConvertible {
    package var file: String
    package var offset: Int
    /// Up to the next whole record, or the end of what is not zero.
    package var bytes: Int
    package var reason: String

    package var description: String { "\(file), offset \(offset), \(bytes) bytes: \(reason)" }
  }

  /// As the newest readable records describe them.
  package private(set) var stores: [StoreID: KeptStore] = [:]
  /// Claims that were not released, by name.
  private(set) var claims: [StoreName: JournalFrame] = [:]
  package private(set) var losses: [Loss] = []
  /// Whole records that count.
  package private(set) var records = 0
  /// At or above all numbers that were seen, or announced.
  package private(set) var revision: Revision = 0
  package private(set) var serial: UInt64 = 0
  /// Above the numbers of all files.
  package private(set) var nextNumber: UInt64 = 1
  /// Changes of stores that no readable record describes.
  package private(set) var orphans = 0
  /// Readable changes in transactions that contain an orphan.
  package private(set) var abandoned = 0
  private var ids: [String: StoreID] = [:]
  /// What any readable record says of a store, if changes are missing theirs.
  private var described: [StoreID: KeptStore] = [:]
  /// Frames before this may be about stores that a whole snapshot no longer has.
  private var overlap = JournalPosition.zero
  private var isOverlapping = false

  /// - Parameter progress: called from time to time with the number of bytes read.
  package init(_ files: [JournalFileBytes], progress: (Int) -> Void = { _ in }) {
    var readable: [Found] = []
    for file in files {
      guard !JournalFileName.isTemporary(file.name), let name = JournalFileName(file.name) else { continue }
      nextNumber = max(nextNumber, name.number + 1)
      do throws(JournalFileHeader.Problem) {
        readable.append(
          Found(
            name: name, bytes: file.bytes, header: try JournalFileHeader(salvaging: file.bytes, named: name)))
      } catch {
        losses.append(Loss(file: file.name, offset: 0, bytes: file.bytes.count, reason: error.description))
      }
    }
    // A snapshot comes before the segment of its number.
    readable.sort {
      ($0.name.number, $0.name.kind == .journal ? 1 : 0) < ($1.name.number, $1.name.kind == .journal ? 1 : 0)
    }
    let before = self
    take(readable, progress)
    if orphans == 0 { return }
    // A later record may describe the stores that the damage left without a name.
    let described = Salvage.descriptions(readable)
    self = before
    self.described = described
    take(readable, progress)
  }

  private mutating func take(_ files: [Found], _ progress: (Int) -> Void) {
    let limits = Salvage.limits(files.filter { $0.name.kind == .journal })
    for file in files {
      if file.name.kind == .snapshot, let through = Salvage.through(file) {
        // It has everything itself.
        stores = [:]
        claims = [:]
        ids = [:]
        overlap = through
      }
      take(file, upTo: file.name.kind == .journal ? limits[file.name.number] : nil, progress)
      let missing = Int(clamping: file.header.length) - file.bytes.count
      if missing > 0 {
        losses.append(
          Loss(
            file: file.name.description, offset: file.bytes.count, bytes: missing,
            reason: "the file is shorter than it was"))
      }
    }
  }

  /// Where segments end, according to those that continue them. What follows was refused, or cut at an earlier start.
  private static func limits(_ journal: [Found]) -> [UInt64: Int] {
    var limits: [UInt64: Int] = [:]
    for file in journal {
      var scan = file.scan
      guard let (_, record) = scan.next() else { continue }
      var frames = FrameCursor(record.frames)
      guard let frame = frames.next(), case .head(let head)? = JournalFrame(frame) else { continue }
      // Of several that continue one segment, the newest counts.
      limits[head.previous.segment] = head.previous.offset
    }
    return limits
  }

  private mutating func take(_ file: Found, upTo limit: Int?, _ progress: (Int) -> Void) {
    var scan = file.scan
    var told = 0
    while scan.offset < limit ?? .max {
      while scan.offset < limit ?? .max, let (offset, record) = scan.next() {
        records += 1
        // A snapshot's frames are not changes that could miss their store.
        let position = JournalPosition(segment: file.name.number, offset: offset)
        isOverlapping = file.name.kind == .snapshot || position < overlap
        take(record)
        if scan.offset - told > Salvage.progressBytes {
          progress(scan.offset - told)
          told = scan.offset
        }
      }
      let start = scan.offset
      let end = min(scan.endOfBytes, limit ?? .max)
      let goesOn = scan.skip() && scan.offset < limit ?? .max
      let next = goesOn ? scan.offset : max(end, limit ?? 0)
      if next > start {
        losses.append(
          Loss(
            file: file.name.description, offset: start, bytes: next - start, reason: "an incomplete record"))
      }
      if !goesOn { break }
    }
    progress(max(0, file.bytes.count - told))
  }

  private static let progressBytes = 1 << 20

  /// The position up to which a snapshot includes the journal; nil if the snapshot is not whole.
  private static func through(_ file: Found) -> JournalPosition? {
    var scan = file.scan
    var last: JournalFrame?
    while let (_, record) = scan.next() {
      var frames = FrameCursor(record.frames)
      while let frame = frames.next() { last = JournalFrame(frame) }
    }
    if case .complete(let through, _)? = last, scan.isAtEnd { return through }
    return nil
  }

  /// Every description of a store in the files.
  private static func descriptions(_ files: [Found]) -> [StoreID: KeptStore] {
    var described: [StoreID: KeptStore] = [:]
    for file in files {
      var scan = file.scan
      repeat {
        while let (_, record) = scan.next() {
          var frames = FrameCursor(record.frames)
          while let frame = frames.next() {
            if frame.rawKind == PackedStores.kind {
              PackedStores.each(in: frame) { described[$0.state.id] = $0 }
            } else if let store = KeptStore(frame) {
              described[store.state.id] = store
            }
          }
        }
      } while scan.skip()
    }
    return described
  }

  // MARK: Transactions

  private mutating func take(_ record: JournalRecord) {
    var frames = FrameCursor(record.frames)
    var group: [FrameView] = []
    while let frame = frames.next() {
      if group.isEmpty, !frame.announcesMore {
        take(frame)
        continue
      }
      group.append(frame)
      if frame.announcesMore { continue }
      take(group)
      group.removeAll(keepingCapacity: true)
    }
    take(group)
  }

  /// Applies a transaction as a whole, or not at all.
  private mutating func take(_ group: [FrameView]) {
    let events = group.map { try? HubEvent(decoding: $0) }
    let missing = events.count { $0.map(isOrphan) ?? false }
    guard missing > 0 else {
      for frame in group { take(frame) }
      return
    }
    orphans += missing
    abandoned += group.count - missing
    for case let event? in events { note(event) }
  }

  /// Whether it changes a store that nothing describes.
  private func isOrphan(_ event: HubEvent) -> Bool {
    guard case .change(let state, _, _) = event, !isOverlapping else { return false }
    if let known = stores[state.id] {
      return known.schema.type != state.value.type && known.state.revision <= state.revision
    }
    return described[state.id]?.schema.type != state.value.type
  }

  /// Notes the numbers that an event has used.
  private mutating func note(_ event: HubEvent) {
    switch event {
    case .created(_, _, let state, _, _, _), .change(let state, _, _):
      note(state.revision, state.id.serial)
    case .removed(_, let removal, _, _): note(removal.revision, removal.id.serial)
    default: break
    }
  }

  // MARK: Frames

  private mutating func take(_ frame: FrameView) {
    if frame.rawKind == PackedStores.kind {
      return PackedStores.each(in: frame) { add($0) }
    }
    if let store = KeptStore(frame) { return add(store) }
    switch JournalFrame(frame) {
    case .head(let head)?: note(head.revisionLimit, head.serialLimit)
    case .reserved(let revision, let serial)?, .ended(let revision, let serial, _)?,
      .snapshot(_, let revision, let serial, _)?:
      note(revision, serial)
    case .unstored(let id, let revision, _)?:
      note(revision, id.serial)
      if let store = stores[id], revision >= store.state.revision { forget(id) }
    case .lifetime(let id, let revision, let lifetime)?: keep(lifetime, of: id, revision: revision)
    case .claim(let offer, let owner)?: claims[offer.name] = .claim(offer, owner: owner)
    case .unclaimed(let name)?: claims[name] = nil
    case .unwritten?, .removals?, .complete?, .access?: break
    case nil:
      guard let event = try? HubEvent(decoding: frame) else { return }
      take(event)
    }
  }

  private mutating func keep(_ lifetime: KeptLifetime, of id: StoreID, revision: Revision) {
    if stores[id]?.state.revision == revision { stores[id]!.lifetime = lifetime.isSet ? lifetime : nil }
  }

  private mutating func take(_ event: HubEvent) {
    note(event)
    switch event {
    case .change(let state, _, _):
      if isOrphan(event) {
        orphans += 1
        return
      }
      guard let known = stores[state.id] else {
        guard !isOverlapping, var store = described[state.id] else { return }
        (store.state, store.lifetime) = (state, nil)
        return add(store)
      }
      guard known.state.revision <= state.revision, known.schema.type == state.value.type else { return }
      stores[state.id]!.state = state
      stores[state.id]!.lifetime = nil
    case .removed(_, let removal, _, _):
      if let known = stores[removal.id], known.state.revision <= removal.revision { forget(removal.id) }
    default: break
    }
  }

  private mutating func add(_ store: KeptStore) {
    let id = store.state.id
    note(store.state.revision, id.serial)
    if let known = stores[id], known.state.revision > store.state.revision { return }
    if let other = ids[store.name], other != id {
      if other.serial > id.serial { return }
      forget(other)
    }
    ids[store.name] = id
    stores[id] = store
  }

  private mutating func note(_ revision: Revision, _ serial: UInt64) {
    self.revision = max(self.revision, revision)
    self.serial = max(self.serial, serial)
  }

  private mutating func forget(_ id: StoreID) {
    guard let store = stores.removeValue(forKey: id) else { return }
    if ids[store.name] == id { ids[store.name] = nil }
  }
}

extension FrameView {
  /// More of the same transaction follows.
  fileprivate var announcesMore: Bool {
    EventKind(rawValue: rawKind)?.isChange == true && flags & EventLayout.more != 0
  }
}

extension JournalFileHeader {
  /// The header of a file, or its second copy if the first is damaged.
  ///
  /// - Throws: why the file's records cannot be distinguished from other bytes.
  init(salvaging file: ByteView, named name: JournalFileName) throws(Problem) {
    do throws(Problem) {
      try self.init(identifying: file, named: name)
    } catch {
      if case .version = error { throw error }
      guard let spare = try? JournalFileHeader(spareOf: file, named: name) else { throw error }
      self = spare
    }
  }
}
