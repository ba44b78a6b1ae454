// The row of a verb: everything about it. Each row is in Verbs, above the verb's command.

/// A verb's name, operands, options, help, and what carries it out.
///
/// A row is a constant object: anything that must be created, such as a list of examples, is created on request. It is
/// not a structure, because the Swift runtime creates types at every start to copy a large one.
final class VerbSpec: Sendable {
  let name: String
  /// The operands as the usage line shows them.
  let operands: String
  let operandCount: ClosedRange<Int>
  /// One line, without a capital and a full stop.
  let summary: String
  /// What a user must know before using it; empty if the summary is enough.
  let details: String
  let action: VerbAction
  private let takenOptions: @Sendable () -> Options
  private let shownExamples: @Sendable () -> [String]

  /// - Parameters:
  ///   - options: those that it takes besides the global ones.
  ///   - examples: command lines without the program's name.
  init(
    _ name: String, _ operands: String, _ operandCount: ClosedRange<Int>,
    options: @autoclosure @escaping @Sendable () -> Options = Options(),
    summary: String, details: String = "",
    examples: @autoclosure @escaping @Sendable () -> [String], action: VerbAction
  ) {
    self.name = name
    self.operands = operands
    self.operandCount = operandCount
    self.summary = summary
    self.details = details
    self.action = action
    takenOptions = options
    shownExamples = examples
  }

  var options: Options { takenOptions() }
  var examples: [String] { shownExamples() }
}

extension VerbSpec: Equatable {
  static func == (a: VerbSpec, b: VerbSpec) -> Bool { a === b }

  /// Whether it can be a line of a transaction.
  var isWrite: Bool {
    switch action {
    case .write: true
    case .tell, .ask, .follow: false
    }
  }
}
