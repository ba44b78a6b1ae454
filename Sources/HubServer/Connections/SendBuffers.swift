// Owns how much memory the kernel may take for what clients have not read. It has no sessions.

import HubEngine
import HubSystem

/// A connection begins with a small send buffer. It gets a large one when its client has read what filled the small one, so a
/// client that reads nothing never has one. Large ones are limited in number, and one user may have half of them.
struct SendBuffers {
  /// As asked for. The kernel takes twice as much for each, and one message more: up to 9.5 and 219 KiB.
  static let (small, large) = (4 << 10, 104 << 10)
  /// What a large one takes at most, in bytes.
  private static let cost = 224 << 10
  /// Even a small hub lets a few clients read long values fast.
  private static let fewest = 4

  /// How many large ones there may be.
  private(set) var limit = SendBuffers.fewest
  private(set) var count = 0
  /// By the place of the user's account.
  private var counts: [Int32: Int] = [:]

  /// - Parameter memory: what all large ones may take, in bytes.
  init(memory: Int) { changeLimit(memory: memory) }

  /// Connections beyond another limit keep what they have.
  mutating func changeLimit(memory: Int) { limit = max(SendBuffers.fewest, memory / SendBuffers.cost) }

  /// Counts one more for a user.
  ///
  /// - Returns: false if it may not have it.
  mutating func admit(_ user: Int32) -> Bool {
    guard count < limit, counts[user, default: 0] < limit / 2 else { return false }
    add(user)
    return true
  }

  /// A user has one already.
  mutating func add(_ user: Int32) {
    count += 1
    counts[user, default: 0] += 1
  }

  mutating func remove(_ user: Int32) {
    count -= 1
    counts[user]! -= 1
    if counts[user] == 0 { counts[user] = nil }
  }
}

extension Connections {
  /// The client reads: if it has a small buffer, it gets a large one.
  mutating func enlargeBuffer(of descriptor: Int32) {
    guard !slots[descriptor].hasLargeBuffer, sendBuffers.admit(slots[descriptor].user) else { return }
    slots[descriptor].hasLargeBuffer = true
    Socket.setSendBuffer(SendBuffers.large, of: descriptor)
  }

  /// The connection of another hub, with the buffer that it has.
  mutating func adoptBuffer(of descriptor: Int32) {
    guard Socket.sendBuffer(of: descriptor) > 2 * SendBuffers.small else { return }
    slots[descriptor].hasLargeBuffer = true
    sendBuffers.add(slots[descriptor].user)
  }
}
