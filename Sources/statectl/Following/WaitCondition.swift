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

    /// Nil for `changes`, which is about time.
    var comparison: WatchCondition.Comparison? {
      switch self {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      case .exists: .present
      case .absent: .absent
      case .changes: nil
      }
    }

    var takesValue: Bool { ![.exists, .absent, .changes].contains(self) }
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

  /// What a hub compares, with the operand in its apparent type: it leaves out nothing of a store of another type. Nil: no hub does.
  var watched: WatchCondition? {
    guard let comparison = self.operator.comparison else { return nil }
    guard let operand else { return WatchCondition(comparison) }
    return (try? ValueSyntax.inferred(operand, store: "")).map { WatchCondition(comparison, [$0]) }
  }

  /// Whether a store with that value meets it. The value to compare with is parsed as the store's type.
  ///
  /// - Parameters:
  ///   - value: nil: there is no such store, which is not equal to any value.
  ///   - hasChanged: it changed during the wait.
  /// - Throws: `invalidValue` if it cannot be parsed, or if the type has no order.
  func holds(for value: Value?, hasChanged: Bool, store: String) throws(Failure) -> Bool {
    guard let comparison = self.operator.comparison else { return hasChanged }
    var operands: [Value] = []
    if let operand, let value {
      operands = [
        value.type.isNumber
          ? try ValueSyntax.delta(operand, store: store)
          : try ValueSyntax.value(operand, as: value.type, store: store)
      ]
    }
    guard let holds = WatchCondition(comparison, operands).holds(for: value) else {
      throw Failure.rejected(store, "\(value?.type.withArticle ?? "it") has no order: use eq or ne")
    }
    return holds
  }
}
