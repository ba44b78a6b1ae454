// A set of options, as bits: made and read without allocating. Option lists the options.

/// Iterates in the order of declaration.
struct Options: Sequence, Sendable {
  private var bits: UInt128 = 0

  init() {}

  init<let count: Int>(_ options: [count of Option]) {
    for index in options.indices { insert(options[index]) }
  }

  var isEmpty: Bool { bits == 0 }

  func contains(_ option: Option) -> Bool { bits & 1 << UInt128(option.rawValue) != 0 }

  mutating func insert(_ option: Option) { bits |= 1 << UInt128(option.rawValue) }

  mutating func remove(_ option: Option) { bits &= ~(1 << UInt128(option.rawValue)) }

  /// Those that are in either.
  func union(_ other: Options) -> Options {
    var union = self
    union.bits |= other.bits
    return union
  }

  func makeIterator() -> some IteratorProtocol<Option> {
    Option.allCases.lazy.filter(contains).makeIterator()
  }
}
