// `statectl help`, and every `--help`: the texts are made from the rows of the verbs and the table of options.

extension VerbSpec {
  static let help = VerbSpec(
    "help", "[VERB]", 0...1,
    summary: "explain a verb",
    examples: ["help watch"],
    action: .tell(Help.text))
}

enum Help {
  static func synopsis(of verb: VerbSpec) -> String {
    let options = verb.options.isEmpty ? "" : " [OPTION...]"
    return "statectl \(verb.name)\(options)" + (verb.operands.isEmpty ? "" : " \(verb.operands)")
  }

  /// Where to find help.
  static func pointer(_ verb: VerbSpec?) -> String {
    verb.map { "see statectl help \($0.name)" } ?? "see statectl --help"
  }

  /// The topic that the words name: `help`, `help VERB`, `VERB --help`, `--help`.
  static func text(for words: CommandLineWords) throws(Failure) -> String {
    let topic = words.verb == .help ? words.operands.first?.text : words.verb?.name
    guard let topic else { return overview }
    guard let verb = Verb.named(topic) else { throw ArgumentParser.unknownVerb(topic) }
    return text(for: verb)
  }

  /// `statectl --help`.
  static var overview: String {
    """
    statectl reads, writes and watches the values of a statehub.

    Usage: statectl [OPTION...] VERB [ARGUMENT...]

    Verbs:
    \(columns(Verb.all.map { ($0.name, $0.summary) }))
    Options for every verb:
    \(columns(Option.global.map { (spelling(of: $0), $0.summary) }))
    Exit status: 0 done, 1 other failure, 2 usage, 3 no hub, 4 no such store, 5 conflict,
    6 value, name or glob rejected, 7 denied, 8 quota, 9 version mismatch, 10 ended by the hub,
    11 lock lost, 12 provider away, 13 provider silent, 14 changed by apply,
    124 timeout.

    statectl help VERB explains a verb, with examples.

    """
  }

  /// `statectl help VERB`.
  static func text(for verb: VerbSpec) -> String {
    var text = "\(sentence(verb.summary))\n\nUsage: \(synopsis(of: verb))\n\n"
    if !verb.details.isEmpty { text += verb.details + "\n\n" }
    if !verb.options.isEmpty {
      text += "Options:\n\(columns(verb.options.map { (spelling(of: $0), $0.summary) }))\n"
    }
    text += "Examples:\n" + verb.examples.map { "  statectl \($0)\n" }.joined()
    return text
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  private static func spelling(of option: Option) -> String {
    let short = option.short.map { "-\(Character(Unicode.Scalar($0))), " } ?? "    "
    let argument = option.placeholder.map { " \($0)" } ?? ""
    return short + "--\(option.name)\(argument)"
  }

  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.utf8.count).max() ?? 0
    return rows.map { left, right in
      "  " + left + String(repeating: " ", count: width - left.utf8.count + 2) + right + "\n"
    }.joined()
  }
}
