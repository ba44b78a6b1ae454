// Replies that wait for the journal: those of this turn for its write, those to writes of `synced` stores for the disk. It sends
// nothing.

import HubCore

/// What a turn has answered since its first write to a persistent store, and asked: if the journal cannot be written, all of
/// that is carried out again. Bounded by what a turn may change, and each session's pause limit.
struct TurnReplies: ~Copyable {
  struct Step {
    var descriptor: Int32
    var count: Int
    /// The replies wait for the disk.
    var isSynced: Bool
  }

  private(set) var steps: [Step] = []
  private(set) var bytes = OutputBuffer(capacity: 16 << 10)
  /// The session of each request, and the requests themselves, in their order.
  private(set) var askers: [Int32] = []
  private(set) var requests = OutputBuffer(capacity: 16 << 10)
  /// How many bytes of the first step stand whatever becomes of the write.
  private(set) var prefix = 0

  private static let keptBytes = 256 << 10

  var isEmpty: Bool { askers.isEmpty && steps.isEmpty }
  /// Somebody waits for the disk.
  var isSynced: Bool { steps.contains { $0.isSynced } }

  /// A request was carried out.
  ///
  /// - Parameter before: the length of its session's replies before it.
  @inline(__always)
  mutating func note(_ frame: FrameView, from descriptor: Int32, before: Int) {
    if askers.isEmpty { prefix = before }
    askers.append(descriptor)
    requests.append(frame.bytes)
  }

  mutating func append(_ replies: ByteView, for descriptor: Int32, isSynced: Bool) {
    steps.append(Step(descriptor: descriptor, count: replies.count, isSynced: isSynced))
    bytes.append(replies)
  }

  mutating func clear() {
    steps.removeAll(keepingCapacity: true)
    askers.removeAll(keepingCapacity: true)
    bytes.clear(keeping: TurnReplies.keptBytes)
    requests.clear(keeping: TurnReplies.keptBytes)
    prefix = 0
  }
}

/// Replies in the order in which they may be sent, each once the journal is on the disk up to its position. Bounded by each
/// session's pause limit.
struct SyncQueue: ~Copyable {
  struct Entry {
    /// -1: its session has gone.
    var descriptor: Int32
    var count: Int
    var position: JournalPosition
  }

  private var entries: [Entry] = []
  private var first = 0
  private var bytes = OutputBuffer(capacity: 16 << 10)
  private var start = 0

  var isEmpty: Bool { first == entries.count }
  /// Where the last entry waits for.
  var last: JournalPosition? { entries.last?.position }

  mutating func append(_ replies: ByteView, for descriptor: Int32, until position: JournalPosition) {
    entries.append(Entry(descriptor: descriptor, count: replies.count, position: position))
    bytes.append(replies)
  }

  /// The first entry, if the journal is on the disk so far, and its bytes, valid until the next mutation.
  func next(durable: JournalPosition) -> (Entry, ByteView)? {
    guard first < entries.count, entries[first].position <= durable else { return nil }
    return (entries[first], bytes.view.slice(start, entries[first].count))
  }

  mutating func removeFirst() {
    start += entries[first].count
    first += 1
    if first == entries.count {
      entries.removeAll(keepingCapacity: true)
      bytes.clear(keeping: 256 << 10)
      (first, start) = (0, 0)
    } else if first >= 1024, first * 2 > entries.count {
      entries.removeFirst(first)
      bytes.dropFirst(start)
      (first, start) = (0, 0)
    }
  }

  /// The session has gone: what is for it is for nobody.
  mutating func forget(_ descriptor: Int32) {
    for index in first..<entries.count where entries[index].descriptor == descriptor {
      entries[index].descriptor = -1
    }
  }
}
