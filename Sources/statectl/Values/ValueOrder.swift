// How a store's value compares with a value from the command line.

internal import HubCore

enum ValueOrder {
  case before, same, after
  /// Not the same, in a type that has no order.
  case different

  /// Numbers are compared by their exact value, text by its Unicode scalars, data by its bytes.
  ///
  /// - Throws: `invalidValue` if the argument cannot be compared with the store's value.
  init(of value: Value, to argument: Argument, store: String) throws(Failure) {
    switch value {
    case .integer(let integer):
      switch try ValueSyntax.delta(argument, store: store) {
      case .integer(let other): self = ValueOrder(integer, other)
      case .double(let other): self = ValueOrder(integer, other)
      default: self = .different
      }
    case .double(let double):
      switch try ValueSyntax.delta(argument, store: store) {
      case .integer(let other): self = ValueOrder(other, double).reversed
      case .double(let other): self = ValueOrder(double, other)
      default: self = .different
      }
    case .string(let text): self = ValueOrder(lexicographic: Array(text.utf8), argument.bytes)
    case .data(let bytes): self = ValueOrder(lexicographic: bytes, argument.bytes)
    case .boolean, .json:
      let other = try ValueSyntax.value(argument, as: value.type, store: store)
      self = other == value ? .same : .different
    }
  }

  private init<T: Comparable>(_ a: T, _ b: T) { self = a == b ? .same : a < b ? .before : .after }

  /// Exact: a conversion of the integer would round.
  private init(_ integer: Int64, _ double: Double) {
    if double >= 0x1p63 {
      self = .before
    } else if double < -0x1p63 {
      self = .after
    } else {
      let whole = double.rounded(.down)
      self = ValueOrder(integer, Int64(whole))
      if case .same = self, whole != double { self = .before }
    }
  }

  private init(lexicographic a: [UInt8], _ b: [UInt8]) {
    self = a == b ? .same : a.lexicographicallyPrecedes(b) ? .before : .after
  }

  private var reversed: ValueOrder {
    switch self {
    case .before: .after
    case .after: .before
    case .same, .different: self
    }
  }
}
