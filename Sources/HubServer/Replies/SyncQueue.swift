// Owns the replies that wait for the disk, in sending order.

import HubCore
import HubEngine

/// A queue of replies, each of which may be sent once the journal is on the disk up to its position. Bounded by each
/// session's pause limit.
struct SyncQueue: ~Copyable {
  struct Entry {
    /// -1: its session is gone.
    var descriptor: Int32
    var count: Int
    var position: JournalPosition
  }

  /// Positions ascend; those before `first` were taken.
  private var entries: [Entry] = []
  private var first = 0
  private var bytes = OutputBuffer(capacity: 16 << 10)
  private var start = 0

  private static let keptBytes = 256 << 10

  var isEmpty: Bool { first == entries.count }
  /// The waiting entries.
  var waiting: ArraySlice<Entry> { entries[first...] }

  mutating func append(_ replies: ByteView, for descriptor: Int32, until position: JournalPosition) {
    entries.append(Entry(descriptor: descriptor, count: replies.count, position: position))
    bytes.append(replies)
  }

  /// Takes the first entry, if the journal is on the disk up to it, with its bytes, which are valid until the next
  /// mutation.
  mutating func take(durable: JournalPosition) -> (Entry, ByteView)? {
    guard first < entries.count, entries[first].position <= durable else {
      forgetTaken()
      return nil
    }
    let entry = entries[first]
    defer { (first, start) = (first + 1, start + entry.count) }
    return (entry, bytes.view.slice(start, entry.count))
  }

  /// The session is gone: its entries have no recipient.
  ///
  /// - Returns: how many entries were examined.
  mutating func forget(_ descriptor: Int32) -> Int {
    for index in first..<entries.count where entries[index].descriptor == descriptor {
      entries[index].descriptor = -1
    }
    return entries.count - first
  }

  private mutating func forgetTaken() {
    if first == entries.count {
      if first == 0 { return }
      entries.removeAll(keepingCapacity: true)
      bytes.clear(keeping: SyncQueue.keptBytes)
    } else if first >= 1024, first * 2 > entries.count {
      entries.removeFirst(first)
      bytes.dropFirst(start)
    } else {
      return
    }
    (first, start) = (0, 0)
  }
}
