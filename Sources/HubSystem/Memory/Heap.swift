// Memory whose owner is a plain value: it grows without a copy where the allocator can do that.

internal import Glibc

package enum Heap {
  /// Gives a block another length; nil is an empty one. The process ends if there is no memory for it.
  package static func resize(_ block: UnsafeMutableRawPointer?, to count: Int) -> UnsafeMutableRawPointer {
    guard let resized = realloc(block, count) else { fatalError("out of memory: \(count) bytes") }
    return resized
  }

  package static func free(_ block: UnsafeMutableRawPointer?) { Glibc.free(block) }
}
