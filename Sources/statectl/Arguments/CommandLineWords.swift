// A parsed command line: the verb, its operands and its options.

internal import HubCore

final class CommandLineWords {
  var verb: VerbSpec?
  /// They are a line of a transaction, whose standard input is the transaction.
  let inTransaction: Bool
  var operands: [Argument] = []
  /// The operands from here on follow `--`: they are literal.
  var firstLiteral = Int.max
  /// What follows `--exec`.
  var command: [Argument] = []
  /// In the order given; for an option that does not repeat, the last one counts.
  private(set) var given: [Given] = []
  private var options = Options()

  /// A class for the same reason as `Argument`: no array of another type.
  final class Given {
    fileprivate(set) var option: Option
    let argument: Argument?
    /// Its letter, if it was given in short form.
    fileprivate let letter: UInt8?

    init(_ option: Option, _ argument: Argument?, letter: UInt8?) {
      self.option = option
      self.argument = argument
      self.letter = letter
    }
  }

  init(inTransaction: Bool) { self.inTransaction = inTransaction }

  func give(_ option: Option, _ argument: Argument? = nil, letter: UInt8? = nil) {
    options.insert(option)
    given.append(Given(option, argument, letter: letter))
  }

  /// The verb is now known: it determines the meaning of letters before it, which differs between verbs.
  func readLetters(of verb: VerbSpec) {
    for given in given {
      guard let letter = given.letter, !verb.options.contains(given.option),
        let own = Option(short: letter, of: verb.options), verb.options.contains(own)
      else { continue }
      options.remove(given.option)
      options.insert(own)
      given.option = own
    }
  }

  func has(_ option: Option) -> Bool { options.contains(option) }

  func argument(_ option: Option) -> Argument? {
    has(option) ? given.last { $0.option == option }?.argument : nil
  }

  func arguments(_ option: Option) -> [Argument] {
    given.filter { $0.option == option }.compactMap(\.argument)
  }

  func text(_ option: Option) -> String? { argument(option)?.text }

  /// - Throws: `usage` if it is not a whole number in `range`.
  func integer<T: FixedWidthInteger>(
    _ option: Option, in range: ClosedRange<T> = T.min...T.max
  ) throws(Failure) -> T? {
    guard let text = text(option) else { return nil }
    guard let value = T(text), range.contains(value) else {
      throw .usage("--\(option.name) takes a whole number of at least \(range.lowerBound), not '\(text)'")
    }
    return value
  }

  /// - Throws: `usage` if it is neither of the two words.
  func choice(_ option: Option, _ first: String, _ second: String) throws(Failure) -> String? {
    guard let text = text(option), text != first, text != second else { return text(option) }
    throw .usage("--\(option.name) takes \(first) or \(second), not '\(text)'")
  }

  /// How many lines to print.
  func lineLimit() throws(Failure) -> Int { try integer(.lines, in: 1...Int.max) ?? .max }

  /// - Throws: `usage` if it is not a length of time, or is zero where that makes no sense.
  func duration(_ option: Option, orNone: Bool = false) throws(Failure) -> Duration? {
    guard let text = text(option) else { return nil }
    guard let duration = TimeText.duration(text), orNone || duration > .zero else {
      throw .usage(
        "--\(option.name) takes a time, not '\(text)'",
        hint: "seconds, or with a unit: 200ms, 1.5s, 10m, 2h, 1d")
    }
    return duration
  }

  /// What the hub leaves out of a watch; nil: nothing.
  func filter() throws(Failure) -> WatchFilter? {
    let (interval, deadband, condition) = (try duration(.interval), try deadband(), try condition())
    let deadline = try duration(.deadline)
    if interval == nil, deadband == nil, condition == nil, deadline == nil { return nil }
    do throws(HubError) {
      return try WatchFilter(atMost: interval, by: deadband, when: condition, deadline: deadline)
    } catch {
      throw .usage(error.message)
    }
  }

  private func deadband() throws(Failure) -> Deadband? {
    guard let text = text(.deadband) else { return nil }
    if let deadband = Deadband(text: text) { return deadband }
    throw .usage("--deadband takes a number above 0, or a percentage such as 5%, not '\(text)'")
  }

  private func condition() throws(Failure) -> WatchCondition? {
    guard let text = text(.when) else { return nil }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let condition = try WaitCondition(words.first ?? "", words.count > 1 ? Argument(words[1]) : nil)
    if let watched = condition.watched { return watched }
    throw .usage("--when takes a condition that the hub can compare, as in 'gt 80', not '\(text)'")
  }

  /// - Throws: `usage` if there is no such type.
  func valueType() throws(Failure) -> ValueType? {
    guard let text = text(.type) else { return nil }
    guard let type = ValueType(name: text) else {
      let names = ValueType.allCases.map(\.description)
      throw .usage(
        "there is no type '\(text)'",
        hint: Suggestion.hint(for: text, among: names, of: "types"))
    }
    return type
  }

  /// - Throws: `usage` if the options contradict each other.
  func check() throws(Failure) {
    func exclude(_ option: Option, _ other: Option) throws(Failure) {
      if has(option), has(other) {
        throw .usage("--\(option.name) and --\(other.name) cannot be combined")
      }
    }
    func require(_ other: Option, for option: Option) throws(Failure) {
      if has(option), !has(other) { throw .usage("--\(option.name) needs --\(other.name)") }
    }
    if given.isEmpty { return }
    try exclude(.publish, .onDemand)
    try exclude(.socket, .user)
    try exclude(.socket, .system)
    try exclude(.user, .system)
    try exclude(.lines, .once)
    try exclude(.markers, .exec)
    try exclude(.json, .openMetrics)
    try exclude(.json, .csv)
    try exclude(.any, .all)
    try exclude(.holders, .shared)
    try exclude(.holders, .grace)
    try exclude(.shared, .grace)
    try exclude(.interval, .every)
    try exclude(.at, .default)
    try exclude(.at, .ifStale)
    try exclude(.since, .changesOnly)
    try exclude(.interval, .markers)
    for option in [Option.deadband, .when, .deadline] {
      for other in [Option.every, .since] { try exclude(option, other) }
    }
    for other in [Option.json, .exec, .showPrevious, .showRevision] { try exclude(.format, other) }
    try require(.json, for: .markers)
    try require(.exec, for: .execFail)
    try require(.openMetrics, for: .http)
  }
}
