// Owns messages to sessions besides direct replies: late replies, and events for providers.

import HubCore

/// Messages in the order in which they go out, each a complete frame.
struct SessionMessages: ~Copyable {
  private struct Entry {
    var session: SessionID
    var count: Int
    var isSynced: Bool
  }

  private var entries: [Entry] = []
  private var next = 0
  private var bytes = OutputBuffer(capacity: 256)
  private var start = 0

  private static let keptBytes = 64 << 10

  var isEmpty: Bool { next == entries.count }

  mutating func append(
    to session: SessionID, isSynced: Bool = false, _ body: (inout OutputBuffer) -> Void
  ) {
    let before = bytes.count
    body(&bytes)
    entries.append(Entry(session: session, count: bytes.count - before, isSynced: isSynced))
  }

  /// The session is gone, and so are its messages.
  mutating func drop(_ session: SessionID) {
    for index in next..<entries.count where entries[index].session == session {
      entries[index].session.raw = -1
    }
  }

  /// Takes the next one, with its bytes, which are valid until the next mutation.
  mutating func take() -> (session: SessionID, bytes: ByteView, isSynced: Bool)? {
    while next < entries.count, entries[next].session.raw < 0 {
      start += entries[next].count
      next += 1
    }
    guard next < entries.count else {
      entries.removeAll(keepingCapacity: true)
      bytes.clear(keeping: SessionMessages.keptBytes)
      (next, start) = (0, 0)
      return nil
    }
    let entry = entries[next]
    defer { (next, start) = (next + 1, start + entry.count) }
    return (entry.session, bytes.view.slice(start, entry.count), entry.isSynced)
  }
}
