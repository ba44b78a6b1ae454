// What `statectl wait` waits for: a comparison of a store's value with one from the command line. It does not wait.

internal import HubCore

struct WaitCondition: Hashable, Sendable {
  /// `changes` has no comparison: it is about time.
  typealias Row = (word: String, symbols: [String], comparison: WatchCondition.Comparison?)

  private static let rows: [Row] = [
    ("eq", ["==", "="], .equal), ("ne", ["!="], .notEqual), ("lt", ["<"], .less),
    ("le", ["<="], .lessOrEqual),
    ("gt", [">"], .greater), ("ge", [">="], .greaterOrEqual), ("exists", [], .present),
    ("absent", [], .absent),
    ("changes", [], nil),
  ]

  static func row(_ spelling: String) -> Row? {
    rows.first { $0.word == spelling || $0.symbols.contains(spelling) }
  }

  static func word(for comparison: WatchCondition.Comparison) -> String? {
    rows.first { $0.comparison == comparison }?.word
  }

  static func takesValue(_ row: Row) -> Bool {
    row.comparison.map { $0 != .present && $0 != .absent } ?? false
  }

  private let comparison: WatchCondition.Comparison?
  private let operand: Argument?

  /// - Throws: `usage` for an unknown operator, or for a missing or superfluous value.
  init(_ spelling: String, _ operand: Argument?) throws(Failure) {
    guard let row = WaitCondition.row(spelling) else {
      throw .usage(
        "there is no condition '\(spelling)'",
        hint: Suggestion.hint(for: spelling, among: WaitCondition.rows.map(\.word), of: "conditions"))
    }
    let takesValue = WaitCondition.takesValue(row)
    guard takesValue == (operand != nil) else {
      throw .usage(takesValue ? "\(spelling) needs a value to compare with" : "\(spelling) takes no value")
    }
    (comparison, self.operand) = (row.comparison, operand)
  }

  /// Whether it can hold for a while.
  var lasts: Bool { comparison != nil }

  /// What a hub compares, with the operand in its apparent type: it leaves out nothing of a store of another type. Nil: no hub does.
  var watched: WatchCondition? {
    guard let comparison else { return nil }
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
    guard let comparison else { return hasChanged }
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
