// How `get` prints values, and how it handles missing stores.

internal import HubCore

struct ValuePrinter {
  let staleness: Staleness
  private let fallback: Argument?
  private let printsRevision: Bool
  /// One named store: its value is printed alone, unchanged.
  private let isAlone: Bool
  private var isMissing = false

  init(_ words: CommandLineWords, isAlone: Bool) throws(Failure) {
    staleness = try Staleness(words)
    fallback = words.argument(.default)
    printsRevision = words.has(.showRevision)
    self.isAlone = isAlone
  }

  func show(_ name: String, _ state: StoreState, to output: inout Output) throws(Failure) {
    guard try staleness.lets(name, print: &output) else { return }
    if output.isJSON {
      return try output.json {
        $0.members(of: state, named: name)
        staleness.member(&$0, of: name)
      }
    }
    try showPrefix(name, state.revision, to: &output)
    if isAlone { try output.value(state.value) } else { try output.line(ValueText.line(state.value)) }
  }

  /// Prints the default of a missing store, or reports that it is missing.
  ///
  /// - Parameter takesDefault: false for a glob.
  mutating func miss(
    _ name: String, _ error: Failure, takesDefault: Bool = true, to output: inout Output
  ) throws(Failure) {
    guard takesDefault, let fallback else {
      isMissing = true
      try output.flush()
      return error.complain()
    }
    if output.isJSON { return try show(default: fallback, name, to: &output) }
    try showPrefix(name, 0, to: &output)
    // In the same form as an existing value.
    guard isAlone, !output.isTerminal else { return try output.line(ValueText.shown(.data(fallback.bytes))) }
    try output.write(fallback.bytes)
    try output.write("\n")
  }

  /// - Throws: the status for what was not printed.
  func finish() throws(Failure) {
    if staleness.hasFailed { throw .status(ExitStatus.unavailable) }
    if isMissing { throw .status(ExitStatus.noSuchStore) }
  }

  private func showPrefix(_ name: String, _ revision: Revision, to output: inout Output) throws(Failure) {
    if !isAlone { try output.write(name + "\t") }
    if printsRevision { try output.write("\(revision)\t") }
  }

  private func show(default argument: Argument, _ name: String, to output: inout Output) throws(Failure) {
    let value = try ValueSyntax.inferred(argument, store: name, brokenIsText: true)
    try output.json {
      $0.member("name", name)
      $0.member("value", value)
      $0.member("type", value.type.description)
      $0.member("revision", 0 as Revision)
    }
  }
}
