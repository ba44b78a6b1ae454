// The total memory kept for clients. It counts; the loop decides which session must end. It also keeps one large block
// that was freed, for the next long frame.

import HubSystem

/// The limit on all `PendingBytes` together. One session can exceed it within one step of the loop, by what it adds there.
struct MemoryBudget {
  var limit: Int
  private(set) var used = 0
  /// At most one, of at most `longestSpare` bytes, currently unused: to map and unmap one for each long frame takes as
  /// long as to read it.
  private var spare: SpareBlock?

  private static let longestSpare = 2 << 20

  init(limit: Int) { self.limit = limit }

  /// - Parameter aside: the memory that is kept in addition.
  func isExceeded(with aside: Int) -> Bool { used + aside > limit }

  /// Less than a sixteenth of the limit is left.
  func isNearlyExceeded(with aside: Int) -> Bool { used + aside > limit - limit / 16 }

  mutating func charge(_ bytes: Int) { used += bytes }

  mutating func refund(_ bytes: Int) {
    precondition(bytes <= used, "more memory was released than reserved")
    used -= bytes
  }

  /// A block of this length, or nil if none is available.
  mutating func takeSpare(_ length: Int) -> (base: UnsafeMutableRawPointer, length: Int)? {
    guard length > Heap.largeBlock / 4, let spare, spare.length >= length else { return nil }
    self.spare = nil
    return (spare.take(), spare.length)
  }

  /// Takes a block that is no longer needed.
  mutating func free(_ base: UnsafeMutableRawPointer?, _ length: Int) {
    guard let base else { return }
    if length >= Heap.largeBlock, length <= MemoryBudget.longestSpare, length > spare?.length ?? 0 {
      spare = SpareBlock(base, length)
    } else {
      Heap.free(base)
    }
  }
}

/// A block of the heap, which is freed with it unless it was taken.
private final class SpareBlock {
  let length: Int
  private var base: UnsafeMutableRawPointer?

  init(_ base: UnsafeMutableRawPointer, _ length: Int) { (self.base, self.length) = (base, length) }

  deinit { Heap.free(base) }

  func take() -> UnsafeMutableRawPointer {
    defer { base = nil }
    return base!
  }
}
