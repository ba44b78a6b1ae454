// A table for very many records, of which most are rarely looked at: in blocks that never move.

/// A `Table` that grows without a copy, however large it is; to reach a record takes one look more.
///
/// Invariant: the records fill the blocks in order; behind the last of them are only empty ones, whose memory is kept.
struct BlockTable<Element: ~Copyable>: ~Copyable {
  /// The first block grows like a table, so that a small one takes little memory; all others are full-sized.
  private var blocks = Table<Table<Element>>()
  private(set) var count = 0

  private static var width: Int { 1 << 10 }

  init() {}

  var isEmpty: Bool { @inline(__always) get { count == 0 } }
  var indices: Range<Int> { @inline(__always) get { 0..<count } }

  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: index)) }
    @inline(__always) unsafeMutableAddress { address(of: index) }
  }

  /// Valid until the next `append`: for the subscripts of tables made of tables.
  @inline(__always)
  func address(of index: Int) -> UnsafeMutablePointer<Element> {
    precondition(index >= 0)
    return blocks.address(of: index / BlockTable.width).pointee.address(of: index % BlockTable.width)
  }

  mutating func append(_ element: consuming Element) {
    let block = count / BlockTable.width
    if block == blocks.count { blocks.append(Table(capacity: block == 0 ? 0 : BlockTable.width)) }
    blocks[block].append(element)
    count += 1
  }

  @discardableResult
  mutating func removeLast() -> Element {
    precondition(count > 0)
    count -= 1
    return blocks[count / BlockTable.width].removeLast()
  }

  /// Keeps the memory.
  mutating func removeLast(_ number: Int) {
    precondition(number >= 0 && number <= count)
    for _ in 0..<number { _ = removeLast() }
  }
}
