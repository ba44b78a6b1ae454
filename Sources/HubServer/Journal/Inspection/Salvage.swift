// What can be saved of a damaged state directory: every record that is whole, in the journal's order, across what is not. It is
// a function of bytes, and the reverse of strict recovery, which stops at the first doubt.

package import HubCore

/// The stores that are left, and what was given up for them.
package struct Salvage: Sendable {
  /// A store as the newest readable record about it tells.
  package struct Store: Sendable {
    package var name: String
    package var schema: Schema
    package var state: StoreState
    /// The value ends by itself, and is not here: the state holds what it goes back to.
    var isLapsed = false
    /// How the value ends by itself, if it does.
    var lifetime: KeptLifetime?
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

  package private(set) var stores: [StoreID: Store] = [:]
  package private(set) var losses: [Loss] = []
  /// Whole records that count.
  package private(set) var records = 0
  /// At or above all numbers that were seen, or announced.
  package private(set) var revision: Revision = 0
  package private(set) var serial: UInt64 = 0
  /// Above every number that a file has.
  package private(set) var nextNumber: UInt64 = 1
  private var ids: [String: StoreID] = [:]
  /// Changes of stores that no readable record describes.
  package private(set) var orphans = 0

  package init(_ files: [JournalFileBytes]) {
    var readable: [(name: JournalFileName, header: JournalFileHeader, bytes: ByteView)] = []
    for file in files {
      guard !JournalFileName.isTemporary(file.name), let name = JournalFileName(file.name) else { continue }
      nextNumber = max(nextNumber, name.number + 1)
      do throws(JournalFileHeader.Problem) {
        readable.append((name, try JournalFileHeader(identifying: file.bytes, named: name), file.bytes))
      } catch {
        losses.append(Loss(file: file.name, offset: 0, bytes: file.bytes.count, reason: error.description))
      }
    }
    // A snapshot comes before the segment of its number.
    readable.sort {
      ($0.name.number, $0.name.kind == .journal ? 1 : 0) < ($1.name.number, $1.name.kind == .journal ? 1 : 0)
    }
    let limits = Salvage.limits(readable.filter { $0.name.kind == .journal }.map { ($0.header, $0.bytes) })
    for file in readable {
      take(
        file.name, file.header, file.bytes, upTo: file.name.kind == .journal ? limits[file.name.number] : nil)
      let missing = Int(clamping: file.header.length) - file.bytes.count
      if missing > 0 {
        losses.append(
          Loss(
            file: file.name.description, offset: file.bytes.count, bytes: missing,
            reason: "the file is shorter than it was"))
      }
    }
    for (id, store) in stores where store.isLapsed { lapse(id, store) }
  }

  /// Where segments end, as the ones that go on from them tell. What lies behind was refused, or cut at an earlier start.
  private static func limits(_ journal: [(JournalFileHeader, ByteView)]) -> [UInt64: Int] {
    var limits: [UInt64: Int] = [:]
    for (header, bytes) in journal {
      var scan = RecordScan(bytes, salt: header.salt)
      guard let (_, record) = scan.next() else { continue }
      var frames = FrameScan(record.frames)
      guard let frame = frames.next(), case .head(let head)? = JournalFrame(frame) else { continue }
      // Of several that go on from one segment the newest does.
      limits[head.previous.segment] = head.previous.offset
    }
    return limits
  }

  private mutating func take(
    _ name: JournalFileName, _ header: JournalFileHeader, _ bytes: ByteView, upTo limit: Int?
  ) {
    var scan = RecordScan(bytes, salt: header.salt)
    if name.kind == .snapshot, Salvage.isWhole(bytes, header) {
      // It says everything itself.
      stores = [:]
      ids = [:]
    }
    while scan.offset < limit ?? .max {
      while scan.offset < limit ?? .max, let (_, record) = scan.next() {
        records += 1
        var frames = FrameScan(record.frames)
        while let frame = frames.next() { take(frame) }
      }
      let start = scan.offset
      let end = min(scan.endOfBytes, limit ?? .max)
      let goesOn = scan.skip() && scan.offset < limit ?? .max
      let next = goesOn ? scan.offset : max(end, limit ?? 0)
      if next > start {
        losses.append(
          Loss(file: name.description, offset: start, bytes: next - start, reason: "no whole record"))
      }
      if !goesOn { return }
    }
  }

  private static func isWhole(_ bytes: ByteView, _ header: JournalFileHeader) -> Bool {
    var scan = RecordScan(bytes, salt: header.salt)
    var last: JournalFrame?
    while let (_, record) = scan.next() {
      var frames = FrameScan(record.frames)
      while let frame = frames.next() { last = JournalFrame(frame) }
    }
    if case .complete? = last { return scan.isAtEnd }
    return false
  }

  // MARK: Frames

  private mutating func take(_ frame: FrameView) {
    switch JournalFrame(frame) {
    case .head(let head)?: note(head.revisionLimit, head.serialLimit)
    case .reserved(let revision, let serial)?, .ended(let revision, let serial, _)?,
      .snapshot(_, let revision, let serial, _)?:
      note(revision, serial)
    case .unstored(let id, let revision, let version, let whole)?:
      note(revision, id.serial)
      guard let store = stores[id], revision >= store.state.revision else { return }
      if whole { return forget(id) }
      stores[id]!.state.revision = revision
      stores[id]!.state.version = version
      stores[id]!.isLapsed = true
    case .lifetime(let id, let revision, let lifetime)?:
      if stores[id]?.state.revision == revision { stores[id]!.lifetime = lifetime.isSet ? lifetime : nil }
    case .unwritten?, .removals?, .complete?: break
    case nil:
      guard let event = try? HubEvent(decoding: frame) else { return }
      take(event)
    }
  }

  private mutating func take(_ event: HubEvent) {
    switch event {
    case .created(let name, let schema, let state, _, _, _):
      note(state.revision, state.id.serial)
      if let known = stores[state.id], known.state.revision > state.revision { return }
      if let other = ids[name], other != state.id {
        if other.serial > state.id.serial { return }
        forget(other)
      }
      ids[name] = state.id
      stores[state.id] = Store(name: name, schema: schema, state: state)
    case .change(let state, _, _):
      note(state.revision, state.id.serial)
      guard let known = stores[state.id] else {
        orphans += 1
        return
      }
      guard known.state.revision <= state.revision, known.schema.type == state.value.type else { return }
      stores[state.id]!.state = state
      stores[state.id]!.isLapsed = false
      stores[state.id]!.lifetime = nil
    case .removed(_, let removal, _, _):
      note(removal.revision, removal.id.serial)
      if let known = stores[removal.id], known.state.revision <= removal.revision { forget(removal.id) }
    default: break
    }
  }

  private mutating func note(_ revision: Revision, _ serial: UInt64) {
    self.revision = max(self.revision, revision)
    self.serial = max(self.serial, serial)
  }

  private mutating func forget(_ id: StoreID) {
    guard let store = stores.removeValue(forKey: id) else { return }
    if ids[store.name] == id { ids[store.name] = nil }
  }

  /// A value that ended by itself when nobody was there.
  private mutating func lapse(_ id: StoreID, _ store: Store) {
    if let initial = store.schema.initial { stores[id]!.state.value = initial } else { forget(id) }
  }
}
