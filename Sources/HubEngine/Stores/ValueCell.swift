// Where a value's bytes are, and how much memory they take. The table of stores owns the memory.

import HubCore

/// A value's bytes: up to 16 in place, more in a block that is reused as long as they fit.
struct ValueCell {
  // First, for the same reason.
  var inline: (UInt64, UInt64) = (0, 0)
  var block: UnsafeMutableRawPointer?
  var count: UInt32 = 0
  var capacity: UInt32 = 0

  static let inlineCapacity = 16

  /// What a block for a value of this length can hold.
  static func capacity(for length: Int) -> Int { max(length, 64) }

  /// The block is kept for a value of this length. One four times too large is freed, so that one long value does not hold
  /// its memory for ever.
  func fits(_ length: Int) -> Bool {
    length <= capacity && Int(capacity) <= 4 * ValueCell.capacity(for: length)
  }

  /// The memory that it takes besides its own slot, in bytes.
  var memory: Int { block == nil ? 0 : MemoryCost.allocation + Int(capacity) }

  /// The same with another value of this length.
  func memory(withLength length: Int) -> Int {
    if length <= ValueCell.inlineCapacity, block == nil { return 0 }
    return MemoryCost.allocation + (fits(length) ? Int(capacity) : ValueCell.capacity(for: length))
  }

  /// What the value of a new store takes.
  static func memory(ofLength length: Int) -> Int { ValueCell().memory(withLength: length) }
}
