// Adding to numbers within their bounds. It knows values and schemas, but no stores.

import HubCore

enum Arithmetic {
  /// - Throws: `typeMismatch` if one of the two is not a number or the delta does not fit the value's type, `overflow` beyond
  ///   the type's range, `outOfRange` beyond the schema's bounds; with `clamp` the nearest bound instead of the latter two.
  static func add(
    _ delta: Value, to value: Value, schema: Schema?, clamp: Bool
  ) throws(HubError) -> Value {
    guard let fit = delta.converted(to: value.type), value.type.isNumber else {
      throw HubError(
        .typeMismatch,
        value.type.isNumber
          ? "\(delta) cannot be added to \(value.type.withArticle) exactly"
          : "only numbers can be added to; this is \(value.type.withArticle)")
    }
    let sum = try sum(value, fit, clamp: clamp)
    guard clamp, let schema else { return sum }
    if let minimum = schema.minimum, Schema.less(sum, minimum) { return minimum }
    if let maximum = schema.maximum, Schema.less(maximum, sum) { return maximum }
    return sum
  }

  private static func sum(_ a: Value, _ b: Value, clamp: Bool) throws(HubError) -> Value {
    switch (a, b) {
    case (.integer(let a), .integer(let b)):
      let (sum, overflow) = a.addingReportingOverflow(b)
      if !overflow { return .integer(sum) }
      if clamp { return .integer(b < 0 ? .min : .max) }
      throw HubError(.overflow, "\(a) + \(b) exceeds what an integer can hold")
    case (.double(let a), .double(let b)):
      let sum = a + b
      if sum.isFinite { return .double(sum) }
      let limit = Double.greatestFiniteMagnitude
      if clamp { return .double(b < 0 ? -limit : limit) }
      throw HubError(.overflow, "\(a) + \(b) exceeds what a double can hold")
    default:
      throw HubError(.typeMismatch, "only numbers can be added to; this is \(a.type.withArticle)")
    }
  }
}
