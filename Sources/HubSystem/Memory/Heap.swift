// The program's use of the allocator: memory whose owner is a plain value, and no call that takes long.

internal import CLinux
internal import Glibc

package enum Heap {
  /// Lets no call defer work to a later one: glibc keeps small blocks that were freed as they are, and a later call for a
  /// large one next joins all of them, which takes 9 ms after 100,000 patterns have ended. Now each is joined when it is freed.
  /// The few of each size that a thread keeps for itself are not affected, so that the common case costs the same.
  package static func joinFreedBlocksAtOnce() { clinux_join_freed_blocks_at_once() }

  /// Gives large blocks separate memory, which is returned to the system with them. By itself glibc does so until the first
  /// of them is freed. Memory at the end of the heap is also returned, but not a little at a time.
  package static func returnLargeBlocks() {
    clinux_return_large_blocks(Int32(largeBlock), 4 << 20)
  }

  /// From this length on, a block has separate memory.
  package static let largeBlock = 256 << 10

  /// Gives back what is free among the blocks in use. Takes some milliseconds for 100 MB.
  package static func returnFreePages() { clinux_return_free_pages() }

  /// Gives back the pages within some memory that stays its owner's, and reads as zeroes there if it does not keep its content.
  package static func returnPages(of memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    let first = start.alignedUp(toMultipleOf: page)
    let end = (start + memory.count).alignedDown(toMultipleOf: page)
    if first < end { madvise(first, end - first, MADV_DONTNEED) }
  }

  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Gives a block another length; nil is an empty one. The process ends if there is no memory for it.
  package static func resize(_ block: UnsafeMutableRawPointer?, to count: Int) -> UnsafeMutableRawPointer {
    guard let resized = realloc(block, count) else { fatalError("out of memory: \(count) bytes") }
    return resized
  }

  package static func free(_ block: UnsafeMutableRawPointer?) { Glibc.free(block) }
}
