// A growable table of records in its own memory: an array that is never shared, so a write checks only bounds.

import HubCore

/// Records reached by address: reading or changing one field copies no record and checks no sharing. An empty table owns no
/// memory.
struct Table<Element: ~Copyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>?
  private var capacity = 0
  private(set) var count = 0

  init() {}

  deinit {
    base?.deinitialize(count: count)
    base?.deallocate()
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
    return base.unsafelyUnwrapped + index
  }

  @inline(__always)
  mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    (base.unsafelyUnwrapped + count).initialize(to: element)
    count += 1
  }

  @inline(__always)
  @discardableResult
  mutating func removeLast() -> Element {
    precondition(count > 0)
    count -= 1
    return (base.unsafelyUnwrapped + count).move()
  }

  mutating func removeLast(_ number: Int) {
    precondition(number >= 0 && number <= count)
    count -= number
    base?.advanced(by: count).deinitialize(count: number)
  }

  /// Where records are. Valid until the next `append`.
  func bytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return UnsafeMutableRawBufferPointer(
      start: base.map { $0 + range.lowerBound }, count: range.count * MemoryLayout<Element>.stride)
  }

  /// Keeps the memory.
  @inline(__always)
  mutating func removeAll() { removeLast(count) }

  private mutating func grow() {
    let capacity = TableGrowth.capacity(after: capacity)
    let other = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    if let base {
      other.moveInitialize(from: base, count: count)
      base.deallocate()
    }
    base = other
    self.capacity = capacity
  }
}

/// How tables grow. Copying a large one takes milliseconds, in which no client is served; untouched memory costs
/// nothing. So a growing table makes one large step, beyond which few tables grow.
enum TableGrowth {
  private static let large = 1 << 13

  static func capacity(after capacity: Int) -> Int {
    capacity == large ? 128 * large : max(4, 2 * capacity)
  }
}

extension Table where Element: Copyable {
  var last: Element? { @inline(__always) get { isEmpty ? nil : self[count - 1] } }
}
