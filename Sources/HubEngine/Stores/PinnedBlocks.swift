// Owns the blocks of values that the undo log may restore, and the memory of those that belong to no store.

import HubCore

/// A block that its store has given up is charged to the user who set its value until it is restored or freed: a transaction cannot
/// use room that it may have to return.
struct PinnedBlocks {
  private struct GivenUp {
    var capacity: Int
    var user: UInt32

    var memory: Int { MemoryCost.allocation + capacity }
  }

  /// Nil: the store still has it.
  private var blocks: [UnsafeMutableRawPointer: GivenUp?] = [:]
  /// The size of the blocks that were given up: in total, and by user.
  private(set) var bytes = 0
  private var bytesByUser: [UInt32: Int] = [:]

  var isEmpty: Bool { @inline(__always) get { blocks.isEmpty } }
  var count: Int { blocks.count }
  func bytes(of user: UInt32) -> Int { bytes == 0 ? 0 : bytesByUser[user, default: 0] }

  /// Those that were given up, with their capacities.
  var givenUp: [(block: UnsafeMutableRawPointer, capacity: Int)] {
    blocks.compactMap { block, givenUp in givenUp.map { (block, $0.capacity) } }
  }

  mutating func add(_ block: UnsafeMutableRawPointer) {
    if blocks[block] == nil { blocks[block] = .some(nil) }
  }

  /// The store is about to write over a block, or to free it.
  ///
  /// - Parameter user: the user who has set its value.
  /// - Returns: whether it is pinned: then it no longer belongs to the store.
  mutating func giveUp(_ block: UnsafeMutableRawPointer, capacity: Int, user: UInt32) -> Bool {
    guard blocks[block] != nil else { return false }
    let givenUp = GivenUp(capacity: capacity, user: user)
    blocks[block] = givenUp
    bytes += givenUp.memory
    bytesByUser[user, default: 0] += givenUp.memory
    return true
  }

  /// The store has its block again.
  mutating func giveBack(_ block: UnsafeMutableRawPointer) {
    if case .some(.some(let givenUp)) = blocks[block] {
      bytes -= givenUp.memory
      bytesByUser[givenUp.user, default: 0] -= givenUp.memory
    }
    blocks[block] = .some(nil)
  }
}
