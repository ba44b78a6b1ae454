// A table for very many records, most of them rarely accessed, in blocks that never move.

import HubCore

/// A `Table` that grows without a copy, whatever its size; reaching a record takes one more load. As a table of tables
/// it would take two thirds of this code, and a `set` 3 % more instructions.
struct BlockTable<Element: ~Copyable>: ~Copyable {
  /// The first block grows like a table, so that a small one takes little memory; all others are full-sized.
  private var blocks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>?
  private var blockCount = 0
  private var capacity = 0
  private(set) var count = 0

  private static var width: Int { 1 << 10 }

  init() {}

  deinit {
    for block in 0..<blockCount {
      let base = blocks.unsafelyUnwrapped[block]
      base.deinitialize(count: max(0, min(BlockTable.width, count - block * BlockTable.width)))
      base.deallocate()
    }
    blocks?.deallocate()
  }

  var isEmpty: Bool { @inline(__always) get { count == 0 } }
  var indices: Range<Int> { @inline(__always) get { 0..<count } }

  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: index)) }
    @inline(__always) unsafeMutableAddress { address(of: index) }
  }

  /// Valid until the next `append`: for the subscripts of tables made of tables.
  @inline(__always)
  func address(of index: Int) -> UnsafeMutablePointer<Element> {
    precondition(index >= 0 && index < count)
    return place(of: index)
  }

  @inline(__always)
  private func place(of index: Int) -> UnsafeMutablePointer<Element> {
    blocks.unsafelyUnwrapped[index / BlockTable.width] + index % BlockTable.width
  }

  @inline(__always)
  mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    place(of: count).initialize(to: element)
    count += 1
  }

  @inline(__always)
  @discardableResult
  mutating func removeLast() -> Element {
    precondition(count > 0)
    count -= 1
    return place(of: count).move()
  }

  /// Keeps the memory of one block.
  mutating func removeLast(_ number: Int) {
    precondition(number >= 0 && number <= count)
    var end = count
    count -= number
    while end > count {
      let start = max(count, (end - 1) / BlockTable.width * BlockTable.width)
      place(of: start).deinitialize(count: end - start)
      end = start
    }
    while blockCount > 1, (blockCount - 2) * BlockTable.width > count {
      blockCount -= 1
      blocks.unsafelyUnwrapped[blockCount].deallocate()
      capacity -= BlockTable.width
    }
  }

  private mutating func grow() {
    if capacity == 0 {
      blocks = .allocate(capacity: 1)
      capacity = 4
      blocks.unsafelyUnwrapped[0] = .allocate(capacity: capacity)
      blockCount = 1
    } else if capacity < BlockTable.width {
      capacity *= 2
      let wider = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
      wider.moveInitialize(from: blocks.unsafelyUnwrapped[0], count: count)
      blocks.unsafelyUnwrapped[0].deallocate()
      blocks.unsafelyUnwrapped[0] = wider
    } else {
      addBlock()
    }
  }

  private mutating func addBlock() {
    // There is room for as many as the next power of two.
    if blockCount & (blockCount - 1) == 0 {
      let wider = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: 2 * blockCount)
      wider.moveInitialize(from: blocks.unsafelyUnwrapped, count: blockCount)
      blocks.unsafelyUnwrapped.deallocate()
      blocks = wider
    }
    blocks.unsafelyUnwrapped[blockCount] = .allocate(capacity: BlockTable.width)
    blockCount += 1
    capacity += BlockTable.width
  }
}
