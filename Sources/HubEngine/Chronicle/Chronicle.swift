// Owns the record of changes, their times and their writers, as far as the setting `historyBytes` allows: a bounded
// ring of records. Without that setting it is never touched.
//
// A record is a frame of the change log's layout with more in its body: kind, uid, store, revision, version and time as in an
// event; then creator: u32, pid: u32, the name and the client's name, each with a count of one byte; then the value, if any.

import HubCore

/// Invariants: records ascend in revision; every one above `floor` is in the ring.
struct Chronicle: ~Copyable {
  /// 0: nothing is kept.
  let capacity: Int
  var isKept: Bool { capacity > 0 }
  private var ring: ChangeLog
  private var hasBegun = false
  /// Starts of records for searching, each a few kilobytes after the other.
  private var borders: [Border] = []
  private var firstBorder = 0
  /// The records of this turn, which can be undone: the head of the change log with them, and the ring's head before.
  private var marks: [(log: UInt64, head: UInt64)] = []

  private struct Border {
    let position: UInt64
    /// Of the record that begins there.
    let revision: Revision
  }

  private static let borderDistance: UInt64 = 4096

  init(capacity: Int) {
    self.capacity = capacity
    ring = ChangeLog(capacity: max(64, capacity))
  }

  /// The newest revision of which something is missing; nil: nothing has happened yet.
  var floor: Revision? { hasBegun ? ring.tailRevision : nil }

  // MARK: Writing

  /// - Parameters:
  ///   - kind: `change`, `created` or `removed`, of which the last has no value.
  ///   - logHead: where the change ends in the change log.
  mutating func append(
    _ kind: EventKind, _ record: StoreRecord, name: ByteView, value: ValueView?, pid: UInt32, client: String,
    logHead: UInt64
  ) {
    var client = client
    client.withUTF8 { client in
      let client = ByteView(UnsafeRawBufferPointer(client))
      let length =
        ChronicleLayout.texts + 2 + name.count + client.count
        + (kind == .removed ? 0 : value?.encodedLength ?? 0)
      if !hasBegun {
        hasBegun = true
        ring = ChangeLog(capacity: ring.capacity, tailRevision: record.revision - 1)
      }
      marks.append((log: logHead, head: ring.head))
      if ring.head - (borders.last?.position ?? 0) >= Chronicle.borderDistance || borders.isEmpty {
        borders.append(Border(position: ring.head, revision: record.revision))
      }
      guard let place = ring.append(length, revision: record.revision) else { return }
      record.writePrefix(to: place, kind.rawValue, flags: 0, request: 0, length: length)
      ChronicleLayout.creator.write(record.creator, to: place)
      ChronicleLayout.pid.write(pid, to: place)
      var end = place + ChronicleLayout.texts
      for text in [name, client] {
        end.storeBytes(of: UInt8(text.count), as: UInt8.self)
        (end + 1).copyMemory(from: text.base, byteCount: text.count)
        end += 1 + text.count
      }
      if kind != .removed { value?.write(to: end) }
    }
    forgetBorders()
  }

  private mutating func forgetBorders() {
    while firstBorder < borders.count, borders[firstBorder].position < ring.tail { firstBorder += 1 }
    if firstBorder >= 64, firstBorder * 2 > borders.count {
      borders.removeFirst(firstBorder)
      firstBorder = 0
    }
  }

  /// What the change log no longer has did not happen.
  ///
  /// - Parameter revision: at or above the revisions of everything that stays.
  mutating func rewind(to logHead: UInt64, revision: Revision) {
    var undone: UInt64?
    while let last = marks.last, last.log > logHead {
      undone = last.head
      marks.removeLast()
    }
    guard let head = undone else { return }
    ring.rewind(to: head, revision: revision)
    while let last = borders.last, last.position >= head { borders.removeLast() }
    firstBorder = min(firstBorder, borders.count)
  }

  /// Nothing can be undone from here on.
  @inline(__always)
  mutating func endTurn() {
    if isKept { marks.removeAll(keepingCapacity: true) }
  }

  // MARK: Reading

  /// Calls `body` with each record from a revision on, oldest first, until it returns false.
  func forEach(from revision: Revision, _ body: (FrameView) -> Bool) {
    var position = start(of: revision)
    while let next = ring.next(after: position) {
      position = next.end
      let found = EventLayout.revision(of: next.frame)
      if found >= revision, found > ring.tailRevision, !body(next.frame) { return }
    }
  }

  /// A border before all records of a revision.
  private func start(of revision: Revision) -> UInt64 {
    var (low, high) = (firstBorder, borders.count)
    while low < high {
      let middle = (low + high) / 2
      if borders[middle].revision < revision { low = middle + 1 } else { high = middle }
    }
    // The record that precedes the first one of at least that age begins after the previous border.
    guard low > firstBorder else { return ring.tail }
    return max(ring.tail, borders[low - 1].position)
  }
}

enum ChronicleLayout {
  @inline(__always) static var creator: Field<UInt32> { Field(at: EventLayout.body) }
  @inline(__always) static var pid: Field<UInt32> { Field(behind: creator) }
  @inline(__always) static var texts: Int { pid.end }
}

/// A record, in the form of the reply.
struct ChronicleRecord {
  let kind: LoggedChange.Kind
  let creator: UInt32
  let name: ByteView
  let change: LoggedChange

  init?(_ frame: FrameView) {
    guard let kind = EventKind(rawValue: frame.rawKind).flatMap(LoggedChange.Kind.init) else { return nil }
    self.kind = kind
    creator = frame.bytes[ChronicleLayout.creator]
    var reader = ByteReader(frame.bytes.suffix(from: ChronicleLayout.texts))
    name = reader.shortBytes()
    let client = reader.shortBytes().text
    let value = kind == .removed ? nil : ValueView(reading: &reader)?.value
    change = LoggedChange(
      kind: kind, name: name.text, id: StoreID(raw: frame.bytes[EventLayout.store]),
      revision: frame.bytes[EventLayout.revision], version: frame.bytes[EventLayout.version],
      time: frame.bytes[EventLayout.time], uid: frame.bytes[EventLayout.uid],
      pid: frame.bytes[ChronicleLayout.pid],
      client: client, value: value)
  }

  /// Its name alone, which is cheaper.
  static func name(of frame: FrameView) -> ByteView {
    var reader = ByteReader(frame.bytes.suffix(from: ChronicleLayout.texts))
    return reader.shortBytes()
  }
}
