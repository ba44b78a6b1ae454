// Owns which arrays and objects are open while a text is scanned, not their content.

/// The arrays and objects that are open at some position in a text: one bit each, so that depth costs no memory.
struct JSONNesting {
  /// The deepest nesting that fits.
  static let capacity = UInt128.bitWidth

  private(set) var depth = 0
  private var objects: UInt128 = 0

  var innermost: JSONContainer? {
    depth == 0 ? nil : objects & 1 == 1 ? .object : .array
  }

  mutating func push(_ container: JSONContainer) {
    objects = objects << 1 | (container == .object ? 1 : 0)
    depth += 1
  }

  mutating func pop() {
    objects >>= 1
    depth -= 1
  }
}
