// Takes a command line apart by the tables of verbs and options; it judges spelling and number, never values.

internal import HubCore

/// Options may stand anywhere; `--` ends them. A negative number is an operand wherever no option is spelled so.
struct ArgumentParser {
  private var words: ArraySlice<Argument>
  private var result = CommandLineWords()
  /// The verbs that may stand at the front.
  private let verbs: [Verb]

  private init(_ arguments: [Argument], verbs: [Verb]) {
    words = arguments[...]
    self.verbs = verbs
  }

  /// - Parameter verbs: those that are known here; a transaction knows only some.
  /// - Throws: `usage`, with the nearest spelling for what is unknown.
  static func parse(
    _ arguments: [Argument], verbs: [Verb] = Verb.allCases
  ) throws(Failure) -> CommandLineWords {
    var parser = ArgumentParser(arguments, verbs: verbs)
    try parser.run()
    try parser.checkOptions()
    return parser.result
  }

  private mutating func run() throws(Failure) {
    let dash = UInt8(ascii: "-")
    while let word = words.popFirst() {
      let bytes = word.bytes
      if bytes.count < 2 || bytes[0] != dash {
        try take(word)
      } else if bytes[1] == dash {
        if bytes.count > 2 { try takeLong(bytes) } else { try takeRest() }
      } else if isOption(bytes[1]) {
        try takeShort(bytes.dropFirst())
      } else {
        try take(word)
      }
    }
  }

  private mutating func takeRest() throws(Failure) {
    while let operand = words.popFirst() { try take(operand) }
  }

  /// The first operand is the verb.
  private mutating func take(_ operand: Argument) throws(Failure) {
    guard result.verb == nil else {
      result.operands.append(operand)
      return
    }
    let name = operand.text
    guard let verb = verbs.first(where: { $0.rawValue == name }) else {
      throw ArgumentParser.unknownVerb(name, verbs)
    }
    result.verb = verb
  }

  static func unknownVerb(_ name: String, _ verbs: [Verb]) -> Failure {
    let nearest = Suggestion.nearest(name, in: verbs.map(\.rawValue))
    return .usage(
      "there is no verb '\(name)'", hint: nearest.map { "did you mean \($0)?" } ?? Help.pointer(nil))
  }

  /// `-5` is a number, except where it spells an option, as `-1` does for watch.
  private func isOption(_ letter: UInt8) -> Bool {
    if option(short: letter) != nil { return true }
    return !(letter == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter))
  }

  private var known: [Option] { Option.global + (result.verb?.options ?? []) }

  private func option(short: UInt8) -> Option? { known.first { $0.short == short } }

  private mutating func takeLong(_ bytes: [UInt8]) throws(Failure) {
    let equals = bytes.firstIndex(of: UInt8(ascii: "="))
    let name = String(decoding: bytes[2..<(equals ?? bytes.count)], as: UTF8.self)
    // Whether the option belongs to the verb is checked when the verb is known.
    // One by one: `init(rawValue:)` would make a hash table of all of them first, at every start.
    guard let option = Option.allCases.first(where: { $0.rawValue == name }) else {
      throw unknown("--\(name)")
    }
    let attached = equals.map { Argument(bytes: Array(bytes[($0 + 1)...])) }
    if option.placeholder == nil, attached != nil {
      throw .usage("--\(name) takes no argument", hint: pointer)
    }
    try give(option, attached: attached)
  }

  /// Several in one word, as `-lj`; the argument of the last may follow at once, as `-n5`.
  private mutating func takeShort(_ letters: ArraySlice<UInt8>) throws(Failure) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = option(short: letter) else {
        throw unknown("-" + String(decoding: [letter], as: UTF8.self))
      }
      guard option.placeholder != nil, !letters.isEmpty else {
        try give(option, attached: nil)
        continue
      }
      return try give(option, attached: Argument(bytes: Array(letters)))
    }
  }

  private mutating func give(_ option: Option, attached: Argument?) throws(Failure) {
    guard let placeholder = option.placeholder else { return result.give(option) }
    if option == .exec {
      if let attached { result.command = [attached] }
      if words.first == "--" { words.removeFirst() }
      result.command += words
      words = []
      if result.command.isEmpty { throw .usage("--exec takes a command", hint: pointer) }
      return result.give(.exec)
    }
    guard let argument = attached ?? words.popFirst() else {
      throw .usage("--\(option.rawValue) takes an argument, \(placeholder)", hint: pointer)
    }
    result.give(option, argument)
  }

  private func checkOptions() throws(Failure) {
    if !result.given.isEmpty, let stray = stray() {
      guard let verb = result.verb else {
        throw .usage("--\(stray.rawValue) goes with a verb", hint: pointer)
      }
      throw .usage("\(verb.rawValue) does not take --\(stray.rawValue)", hint: pointer)
    }
    if result.has(.help) || result.has(.version) { return }
    guard let verb = result.verb else { throw .usage("a verb is missing", hint: pointer) }
    guard verb.operandCount.contains(result.operands.count) else {
      let problem = result.operands.count < verb.operandCount.lowerBound ? "too few" : "too many"
      throw .usage("\(problem) operands for \(verb.rawValue)", hint: "usage: " + Help.synopsis(of: verb))
    }
    try result.check()
  }

  /// An option that the verb does not take.
  private func stray() -> Option? {
    let known = known
    return result.given.first { !known.contains($0.option) }?.option
  }

  private func unknown(_ spelling: String) -> Failure {
    let candidates = (result.verb == nil ? Option.allCases : known).map { "--" + $0.rawValue }
    let nearest = spelling.hasPrefix("--") ? Suggestion.nearest(spelling, in: candidates) : nil
    let hint = nearest.map { "did you mean \($0)?" } ?? "behind -- it is a value; \(pointer)"
    return .usage("there is no option \(spelling)", hint: hint)
  }

  private var pointer: String { Help.pointer(result.verb) }
}
