// What `statectl wait` waits for: a comparison of a store's value with one from the command line. It does not wait.

internal import HubCore

struct WaitCondition: Hashable, Sendable {
  enum Operator: String, CaseIterable, Sendable {
    case equal = "eq"
    case notEqual = "ne"
    case less = "lt"
    case lessOrEqual = "le"
    case greater = "gt"
    case greaterOrEqual = "ge"
    case exists
    case absent
    case changes

    init?(spelling: String) {
      let symbols: [String: Operator] = [
        "==": .equal, "=": .equal, "!=": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
        ">=": .greaterOrEqual,
      ]
      guard let known = symbols[spelling] ?? Operator(rawValue: spelling) else { return nil }
      self = known
    }

    var takesValue: Bool {
      switch self {
      case .exists, .absent, .changes: false
      default: true
      }
    }
  }

  let `operator`: Operator
  let operand: Argument?

  /// - Throws: `usage` for an unknown operator, or for a missing or superfluous value.
  init(_ spelling: String, _ operand: Argument?) throws(Failure) {
    guard let known = Operator(spelling: spelling) else {
      let names = Operator.allCases.map(\.rawValue)
      throw .usage(
        "there is no condition '\(spelling)'",
        hint: Suggestion.hint(for: spelling, among: names, of: "conditions"))
    }
    guard known.takesValue == (operand != nil) else {
      throw .usage(
        known.takesValue ? "\(spelling) needs a value to compare with" : "\(spelling) takes no value")
    }
    self.operator = known
    self.operand = operand
  }

  /// Whether it can hold for a while.
  var lasts: Bool { self.operator != .changes }

  /// Whether a store with that value meets it. The value to compare with is parsed as the store's type.
  ///
  /// - Parameters:
  ///   - value: nil: there is no such store, which is not equal to any value.
  ///   - hasChanged: it changed during the wait.
  /// - Throws: `invalidValue` if it cannot be parsed, or if the type has no order.
  func holds(for value: Value?, hasChanged: Bool, store: String) throws(Failure) -> Bool {
    guard let operand else {
      return switch self.operator {
      case .exists: value != nil
      case .absent: value == nil
      default: hasChanged
      }
    }
    guard let value else { return self.operator == .notEqual }
    let order = try ValueOrder(of: value, to: operand, store: store)
    switch self.operator {
    case .equal: return order == .same
    case .notEqual: return order != .same
    default:
      guard order != .different else {
        throw Failure.rejected(store, "\(value.type.withArticle) has no order: use eq or ne")
      }
    }
    return switch self.operator {
    case .less: order == .before
    case .lessOrEqual: order != .after
    case .greater: order == .after
    default: order != .before
    }
  }
}
