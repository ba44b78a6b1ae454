// Parses a command line, using the rows of the verbs and the table of options; it checks spelling and number, but not
// values.

internal import HubCore

/// Options may appear anywhere; `--` ends them. A negative number is an operand unless an option has that spelling.
struct ArgumentParser {
  private var words: ArraySlice<Argument>
  private let result: CommandLineWords

  private init(_ arguments: [Argument], inTransaction: Bool) {
    words = arguments[...]
    result = CommandLineWords(inTransaction: inTransaction)
  }

  /// - Parameter inTransaction: the words are a line of a transaction, which allows only some verbs.
  /// - Throws: `usage`, with the nearest spelling for what is unknown.
  static func parse(
    _ arguments: [Argument], inTransaction: Bool = false
  ) throws(Failure) -> CommandLineWords {
    var parser = ArgumentParser(arguments, inTransaction: inTransaction)
    try parser.run()
    try parser.checkOptions()
    return parser.result
  }

  private mutating func run() throws(Failure) {
    while let word = words.popFirst() {
      try word.withView { bytes throws(Failure) in
        switch form(of: bytes) {
        case .operand: try take(word)
        case .rest:
          result.firstLiteral = result.operands.count
          while let operand = words.popFirst() { try take(operand) }
        case .long: try takeLong(bytes.suffix(from: 2))
        case .short: try takeShort(bytes.suffix(from: 1))
        }
      }
    }
  }

  private enum Form {
    case operand, long, short
    /// `--`: only operands follow.
    case rest
  }

  private func form(of bytes: ByteView) -> Form {
    let dash = UInt8(ascii: "-")
    if bytes.count < 2 || bytes[0] != dash { return .operand }
    if bytes[1] == dash { return bytes.count == 2 ? .rest : .long }
    return isOption(bytes[1]) ? .short : .operand
  }

  /// The first operand is the verb.
  private mutating func take(_ operand: Argument) throws(Failure) {
    guard result.verb == nil else {
      result.operands.append(operand)
      return
    }
    let name = operand.text
    guard let verb = Verb.named(name), isPossible(verb) else {
      throw ArgumentParser.unknownVerb(name, among: Verb.all.filter(isPossible))
    }
    result.verb = verb
    if !result.given.isEmpty { result.readLetters(of: verb) }
  }

  private func isPossible(_ verb: VerbSpec) -> Bool { verb.isWrite || !result.inTransaction }

  static func unknownVerb(_ name: String, among verbs: [VerbSpec] = Verb.all) -> Failure {
    let meant = usualNames.first { $0.names.contains(name) }?.verb
    let nearest =
      meant.flatMap { meant in meant.hasPrefix("-") || verbs.contains { $0.name == meant } ? meant : nil }
      ?? Suggestion.nearest(name, in: verbs.map(\.name))
    return .usage(
      "there is no verb '\(name)'", hint: nearest.map { "did you mean \($0)?" } ?? Help.pointer(nil))
  }

  /// The names that other programs use.
  private static let usualNames: [(names: [String], verb: String)] = [
    (["rm", "del", "delete", "unset", "unlink", "drop"], "remove"), (["ls", "keys", "dir"], "list"),
    (["incr", "incrby", "inc", "increment", "decr", "decrement", "sub"], "add"),
    (["put", "write", "update", "assign"], "set"), (["read", "cat", "print", "fetch"], "get"),
    (["subscribe", "follow", "tail", "observe"], "watch"), (["show", "info", "inspect", "type"], "describe"),
    (["new", "make", "declare", "define"], "create"), (["export", "backup", "save"], "dump"),
    (["import", "restore"], "load"), (["flock", "mutex"], "lock"), (["leader"], "elect"),
    (["history"], "log"),
    (["multi", "transaction", "batch"], "txn"), (["not", "flip", "invert"], "toggle"),
    (["status", "metrics"], "stats"),
    (["version"], "--version"),
  ]

  private func isOption(_ letter: UInt8) -> Bool { option(short: letter) != nil || !beginsNumber(letter) }

  private func beginsNumber(_ letter: UInt8) -> Bool {
    letter == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter)
  }

  private var known: Options {
    guard let verb = result.verb else { return Option.global }
    return Option.global.union(verb.options)
  }

  /// Whether it belongs to the verb is checked when the verb is known, as for long names; but after the verb `-1` is a
  /// number, except where it spells an option, as for watch. A letter can spell different options of different verbs.
  private func option(short: UInt8) -> Option? {
    guard let option = Option(short: short, of: known) else { return nil }
    if result.verb != nil, beginsNumber(short), !known.contains(option) { return nil }
    return option
  }

  private mutating func takeLong(_ bytes: ByteView) throws(Failure) {
    let end = bytes.firstIndex(of: UInt8(ascii: "="))
    let name = bytes.slice(0, end ?? bytes.count).text
    // Whether the option belongs to the verb is checked when the verb is known.
    guard let option = Option(name: name) else { throw unknown("--\(name)") }
    let attached = end.map { Argument(bytes.suffix(from: $0 + 1)) }
    if option.placeholder == nil, attached != nil {
      throw .usage("--\(name) takes no argument", hint: pointer)
    }
    try give(option, attached: attached)
  }

  /// Several in one word, for example `-lj`; the argument of the last may follow directly, for example `-n5`.
  private mutating func takeShort(_ letters: ByteView) throws(Failure) {
    for index in 0..<letters.count {
      guard let option = option(short: letters[index]) else {
        throw unknown("-" + letters.slice(index, 1).text)
      }
      guard option.placeholder != nil, index + 1 < letters.count else {
        try give(option, attached: nil, letter: letters[index])
        continue
      }
      return try give(option, attached: Argument(letters.suffix(from: index + 1)), letter: letters[index])
    }
  }

  private mutating func give(_ option: Option, attached: Argument?, letter: UInt8? = nil) throws(Failure) {
    guard let placeholder = option.placeholder else { return result.give(option, letter: letter) }
    if option == .exec {
      if let attached { result.command = [attached] }
      if words.first == "--" { words.removeFirst() }
      result.command += words
      words = []
      if result.command.isEmpty { throw .usage("--exec takes a command", hint: pointer) }
      return result.give(.exec)
    }
    guard let argument = attached ?? words.popFirst() else {
      throw .usage("--\(option.name) takes an argument, \(placeholder)", hint: pointer)
    }
    result.give(option, argument, letter: letter)
  }

  private func checkOptions() throws(Failure) {
    if !result.given.isEmpty, let stray = stray() {
      guard let verb = result.verb else {
        throw .usage("--\(stray.name) needs a verb", hint: pointer)
      }
      throw .usage("\(verb.name) does not take --\(stray.name)", hint: pointer)
    }
    if result.has(.help) || result.has(.version) { return }
    guard let verb = result.verb else { throw .usage("a verb is missing", hint: pointer) }
    guard verb.operandCount.contains(result.operands.count) else {
      let problem = result.operands.count < verb.operandCount.lowerBound ? "too few" : "too many"
      throw .usage("\(problem) operands for \(verb.name)", hint: "usage: " + Help.synopsis(of: verb))
    }
    try result.check()
  }

  /// An option that the verb does not take.
  private func stray() -> Option? {
    let known = known
    return result.given.first { !known.contains($0.option) }?.option
  }

  private func unknown(_ spelling: String) -> Failure {
    let candidates = (result.verb == nil ? Option.allCases : Array(known)).map { "--" + $0.name }
    let nearest =
      spelling.hasPrefix("--")
      ? candidates.first { $0.hasPrefix(spelling) } ?? Suggestion.nearest(spelling, in: candidates) : nil
    let hint = nearest.map { "did you mean \($0)?" } ?? "after -- it is a value; \(pointer)"
    return .usage("there is no option \(spelling)", hint: hint)
  }

  private var pointer: String { Help.pointer(result.verb) }
}
