// A condition of a filter: a comparison of a store's value with others. It keeps no state.

/// How two values of comparable types compare.
package enum ValueOrder {
  case before, same, after
  /// Not the same, in a type that has no order.
  case different
}

extension ValueView {
  /// Numbers are compared by their exact value, text and data by their bytes; nil: the types cannot be compared.
  package func order(to operand: Value) -> ValueOrder? {
    switch (type, operand) {
    case (.integer, .integer(let other)): ValueOrder(integer, other)
    case (.integer, .double(let other)): ValueOrder(integer, exactly: other)
    case (.double, .integer(let other)): ValueOrder(other, exactly: double).reversed
    case (.double, .double(let other)): ValueOrder(double, other)
    case (.boolean, .boolean(let other)): boolean == other ? .same : .different
    case (.string, .string(let other)): ValueOrder(bytes, other.utf8)
    case (.data, .data(let other)): ValueOrder(bytes, other)
    case (.json, .json(let other)): bytes.buffer.elementsEqual(other.utf8) ? .same : .different
    default: nil
    }
  }
}

extension ValueOrder {
  fileprivate init<T: Comparable>(_ a: T, _ b: T) { self = a == b ? .same : a < b ? .before : .after }

  /// A conversion of the integer would round.
  fileprivate init(_ integer: Int64, exactly double: Double) {
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

  fileprivate init(_ a: ByteView, _ b: some Collection<UInt8>) {
    self = a.buffer.elementsEqual(b) ? .same : a.buffer.lexicographicallyPrecedes(b) ? .before : .after
  }

  fileprivate var reversed: ValueOrder {
    switch self {
    case .before: .after
    case .after: .before
    case .same, .different: self
    }
  }
}

/// A condition on a store's value.
public struct WatchCondition: Hashable, Sendable {
  /// The raw values are those on the wire.
  package enum Comparison: UInt8, Sendable, CaseIterable {
    case equal = 1
    case notEqual = 2
    case less = 3
    case lessOrEqual = 4
    case greater = 5
    case greaterOrEqual = 6
    case present = 7
    case absent = 8
  }

  package let comparison: Comparison
  package let operands: [Value]

  /// The most bytes that a condition takes in a request.
  package static let longest = 1024

  package init(_ comparison: Comparison, _ operands: [Value] = []) {
    (self.comparison, self.operands) = (comparison, operands)
  }

  /// Whether the store exists.
  public static let present = WatchCondition(.present)
  /// Whether it does not.
  public static let absent = WatchCondition(.absent)

  /// Whether a hub takes it: the comparison has its operands, of types that it can compare, and is not too long.
  package var isPossible: Bool {
    let isCounted =
      switch comparison {
      case .equal, .notEqual: !operands.isEmpty && operands.count <= Int(UInt8.max)
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        operands.count == 1 && operands[0].type != .boolean && operands[0].type != .json
      case .present, .absent: operands.isEmpty
      }
    return isCounted && encodedLength <= WatchCondition.longest
  }

  /// In a request.
  package var encodedLength: Int { operands.reduce(2) { $0 + 5 + $1.byteCount } }

  /// Whether a value meets it; nil: it cannot be compared with any of the operands, or has no order.
  ///
  /// - Parameter value: nil: there is no such store, which is not equal to any value.
  package func holds(for value: ValueView?) -> Bool? {
    switch comparison {
    case .present: return value != nil
    case .absent: return value == nil
    default: break
    }
    guard let value else { return comparison == .notEqual }
    var order: ValueOrder?
    for operand in operands {
      guard let next = value.order(to: operand) else { continue }
      order = next
      if next == .same { break }
    }
    guard let order else { return nil }
    return switch comparison {
    case .equal: order == .same
    case .notEqual: order != .same
    case _ where order == .different: nil
    case .less: order == .before
    case .lessOrEqual: order != .after
    case .greater: order == .after
    default: order != .before
    }
  }

  /// The same for a value by itself.
  package func holds(for value: Value?) -> Bool? {
    guard let value else { return holds(for: nil as ValueView?) }
    return value.bytes.withByteView { holds(for: ValueView(type: value.type, bytes: $0)) }
  }
}

extension WatchCondition {
  /// Nil if the bytes are not a condition that a hub takes.
  package init?(reading reader: inout ByteReader) {
    guard let comparison = Comparison(rawValue: reader.integer()) else { return nil }
    var operands: [Value] = []
    for _ in 0..<reader.integer(UInt8.self) {
      guard let operand = ValueView(reading: &reader), operand.bytes.count <= WatchCondition.longest,
        operand.contentProblem == nil
      else { return nil }
      operands.append(operand.value)
    }
    self.init(comparison, operands)
    if reader.failed || !isPossible { return nil }
  }

  package func encode(into out: inout OutputBuffer) {
    out.append(comparison.rawValue)
    out.append(UInt8(clamping: operands.count))
    for operand in operands { out.append(operand) }
  }
}

extension Value {
  /// Of `bytes`.
  fileprivate var byteCount: Int {
    switch self {
    case .integer, .double: 8
    case .boolean: 1
    case .string(let text), .json(let text): text.utf8.count
    case .data(let bytes): bytes.count
    }
  }
}
