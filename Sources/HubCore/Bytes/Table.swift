// A growable table of records in its own memory: an array that is never shared, so a write checks only bounds.

/// Records reached by address: reading or changing one field copies no record and checks no sharing. An empty table owns no
/// memory. The first records lie together, in a block that doubles; all others in blocks of `width` that never move, because to
/// copy a large table takes milliseconds in which nobody is served.
struct Table<Element: ~Copyable>: ~Copyable {
  private var first: UnsafeMutablePointer<Element>?
  /// The blocks behind the first, which is full then.
  private var others: UnsafeMutablePointer<UnsafeMutablePointer<Element>>?
  private var blocks = 0
  private var capacity = 0
  private(set) var count = 0

  private static var width: Int { 1 << 10 }

  init() {}

  deinit {
    let (count, width) = (count, Table.width)
    first?.deinitialize(count: min(count, width))
    first?.deallocate()
    for block in 0..<blocks {
      let rest = count - (block + 1) * width
      if rest > 0 { others.unsafelyUnwrapped[block].deinitialize(count: min(rest, width)) }
      others.unsafelyUnwrapped[block].deallocate()
    }
    others?.deallocate()
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
    index < Table.width
      ? first.unsafelyUnwrapped + index
      : others.unsafelyUnwrapped[index / Table.width - 1] + index % Table.width
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

  mutating func removeLast(_ number: Int) {
    precondition(number >= 0 && number <= count)
    for _ in 0..<number { _ = removeLast() }
  }

  /// Keeps the memory.
  @inline(__always)
  mutating func removeAll() { removeLast(count) }

  private mutating func grow() {
    if capacity < Table.width {
      capacity = max(4, 2 * capacity)
      first = Table.wider(first, capacity, moving: count)
    } else {
      if blocks & (blocks - 1) == 0 {
        others = Table<UnsafeMutablePointer<Element>>.wider(others, max(4, 2 * blocks), moving: blocks)
      }
      others.unsafelyUnwrapped[blocks] = .allocate(capacity: Table.width)
      blocks += 1
      capacity += Table.width
    }
  }

  private static func wider(
    _ old: UnsafeMutablePointer<Element>?, _ capacity: Int, moving count: Int
  ) -> UnsafeMutablePointer<Element> {
    let wider = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    if let old {
      wider.moveInitialize(from: old, count: count)
      old.deallocate()
    }
    return wider
  }
}

extension Table where Element: Copyable {
  var last: Element? { @inline(__always) get { isEmpty ? nil : self[count - 1] } }
}
