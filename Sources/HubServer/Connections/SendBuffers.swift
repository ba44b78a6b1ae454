// Owns how much memory the kernel may take for what clients have not read. It has no sessions.

import HubCore
import HubEngine
import HubSystem

/// A connection begins with a small send buffer. It gets a large one when its client has read what filled the small one, so a
/// client that reads nothing never has one. Large ones are limited in number, one user may have half of them, and each
/// counts to its user.
struct SendBuffers {
  /// As asked for. The kernel takes twice as much for each, and one message more: up to 8.5 and 219 KiB. It takes no
  /// smaller one.
  static let (small, large) = (2304, 104 << 10)
  /// What a large one takes at most, in bytes.
  fileprivate static let cost = 224 << 10
  /// Even a small hub lets a few clients read long values fast.
  private static let fewest = 4

  /// How many large ones there may be.
  private(set) var limit = SendBuffers.fewest
  private(set) var count = 0
  /// By the slot of the user's account.
  private var counts: [Int32: Int] = [:]

  /// - Parameter memory: what all large ones may take, in bytes.
  init(memory: Int) { changeLimit(memory: memory) }

  /// Connections beyond another limit keep what they have.
  mutating func changeLimit(memory: Int) { limit = max(SendBuffers.fewest, memory / SendBuffers.cost) }

  /// Whether a user may have one more.
  func admits(_ user: Int32) -> Bool { count < limit && counts[user, default: 0] < limit / 2 }

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
  mutating func enlargeBuffer(of descriptor: Int32, _ engine: inout HubEngine) {
    guard !slots[descriptor].hasLargeBuffer, sendBuffers.admits(slots[descriptor].user),
      engine.countSendBuffer(SendBuffers.cost, of: SessionID(raw: descriptor))
    else { return }
    sendBuffers.add(slots[descriptor].user)
    slots[descriptor].hasLargeBuffer = true
    Socket.setSendBuffer(SendBuffers.large, of: descriptor)
  }

  /// The connection of another hub, with the buffer that it has, if it may still have it.
  mutating func adoptBuffer(of descriptor: Int32, _ engine: inout HubEngine) {
    guard Socket.sendBuffer(of: descriptor) > 4 * SendBuffers.small else { return }
    enlargeBuffer(of: descriptor, &engine)
    if !slots[descriptor].hasLargeBuffer { Socket.setSendBuffer(SendBuffers.small, of: descriptor) }
  }
}
