// Owns a list that several tasks append to in a test.

import Synchronization

final class Log<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  var entries: [Entry] { list.withLock { $0 } }

  func append(_ entry: Entry) { list.withLock { $0.append(entry) } }
}
