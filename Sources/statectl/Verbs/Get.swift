// `statectl get`: values, in one round trip.

internal import HubCore

extension VerbSpec {
  static let get = VerbSpec(
    "get", "STORE|GLOB...", 1 ... .max,
    options: Options([.showRevision, .default, .at, .ifStale]),
    summary: "print values",
    details: """
      The value is printed as it is, with a newline after it, data without one. To a terminal, control
      characters and others that it would not show are escaped. Several stores give one line each: name, tab,
      value on one line (such characters escaped, data as base64). Status 4 if a store is missing; the others
      are printed. A glob (* stands for one part of a name, ** for any number) gives all that match, as they
      are at one revision. --at prints values as they were at a revision. --if-stale says of values whether
      their provider is away: show on standard error, or fail with status 12 instead of printing them.
      """,
    examples: [
      "get audio.volume", "get audio.volume audio.muted", "get --default 50 audio.volume", "get 'audio.*'",
      "get --at 4711 audio.volume",
    ],
    action: .ask { words throws(Failure) in
      if let revision = try words.revision(.at) { return try GetAtCommand(words, at: revision) }
      do throws(Failure) {
        return try GetCommand(words)
      } catch {
        // Only what is not a name is looked at twice.
        guard words.hasGlob else { throw error }
        return try GetMatchingCommand(words)
      }
    })
}

struct GetCommand: HubCommand {
  private var questions: [Question] = []
  private let fallback: Argument?
  private let printsRevision: Bool
  private let json: Bool
  private let staleness: Staleness

  init(_ words: CommandLineWords) throws(Failure) {
    staleness = try Staleness(words)
    fallback = words.argument(.default)
    printsRevision = words.has(.showRevision)
    json = words.has(.json)
    for index in words.operands.indices { questions.append(Question(try words.storeName(index))) }
  }

  /// A class for the same reason as `Argument`.
  private final class Question {
    let name: StoreName
    var request: UInt32 = 0

    init(_ name: StoreName) { self.name = name }
  }

  /// Prints the stores that exist, then fails with `noSuchStore` if any is missing.
  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    if staleness.isAsked { try staleness.read(&client) }
    for question in questions { question.request = client.enqueue(.get(.name(question.name))) }
    var missing = false
    for question in questions {
      let name = question.name
      do throws(Failure) {
        guard case .value(let state) = try client.receive(question.request) else { throw .strangeAnswer }
        if try staleness.lets(name.text, print: &output) { try show(name, state, staleness, to: &output) }
      } catch {
        guard error.isHub(.noSuchStore) else { throw error }
        if let fallback {
          try show(name, default: fallback, to: &output)
        } else {
          missing = true
          try output.flush()
          error.complain()
        }
      }
    }
    if staleness.hasFailed { throw .status(ExitStatus.unavailable) }
    if missing { throw .status(ExitStatus.noSuchStore) }
  }

  private func show(
    _ name: StoreName, _ state: StoreState, _ staleness: Staleness, to output: inout Output
  ) throws(Failure) {
    if json {
      return try output.json {
        $0.members(of: state, named: name.text)
        staleness.member(&$0, of: name.text)
      }
    }
    try showPrefix(name, state.revision, to: &output)
    if questions.count > 1 { return try output.line(ValueText.line(state.value)) }
    try output.value(state.value)
  }

  private func show(_ name: StoreName, default value: Argument, to output: inout Output) throws(Failure) {
    if json { return try output.json(default: value, name.text) }
    try showPrefix(name, 0, to: &output)
    // As a value that is there would be shown.
    if questions.count > 1 || output.isTerminal {
      return try output.line(ValueText.shown(.data(value.bytes)))
    }
    try output.write(value.bytes)
    try output.write("\n")
  }

  private func showPrefix(
    _ name: StoreName, _ revision: Revision, to output: inout Output
  ) throws(Failure) {
    if questions.count > 1 { try output.write(name.text + "\t") }
    if printsRevision { try output.write("\(revision)\t") }
  }
}
