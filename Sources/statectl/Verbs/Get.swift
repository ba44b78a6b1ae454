// `statectl get`: values, in one round trip.

internal import HubCore

extension VerbSpec {
  static let get = VerbSpec(
    "get", "STORE|GLOB...", 1 ... .max,
    options: Options([.showRevision, .default, .at, .ifStale]),
    summary: "print values",
    details: """
      Prints the value unchanged, followed by a newline, except after data. On a terminal, control and other
      invisible characters are escaped. For several stores, each line is name, tab, value (such characters
      escaped, data as base64). If a store is missing, the others are printed, and the status is 4. A glob (*
      matches one part of a name, ** any number) gives all matching stores at one revision. --at prints the
      values at an earlier revision. --if-stale checks whether the provider of a value is away: show reports
      it on standard error; fail exits with status 12 instead of printing the value.
      """,
    examples: [
      "get audio.volume", "get audio.volume audio.muted", "get --default 50 audio.volume", "get 'audio.*'",
      "get --at 4711 audio.volume",
    ],
    action: .ask { words throws(Failure) in
      if let revision = try words.revision(.at) { return try Get.values(words, at: revision) }
      do throws(Failure) {
        return try Get.values(words)
      } catch {
        // Only words that are not names are checked again.
        guard words.hasGlob else { throw error }
        return try Get.matching(words)
      }
    })
}

enum Get {
  /// A class for the same reason as `Argument`.
  private final class Question {
    let name: StoreName
    var request: UInt32 = 0

    init(_ name: StoreName) { self.name = name }
  }

  /// Prints the stores that exist, then fails with `noSuchStore` if any is missing.
  fileprivate static func values(_ words: CommandLineWords) throws(Failure) -> HubCommand {
    var printer = try ValuePrinter(words, isAlone: words.operands.count == 1)
    var questions: [Question] = []
    for index in words.operands.indices { questions.append(Question(try words.storeName(index))) }
    return { [questions] client, output throws(Failure) in
      if printer.staleness.isAsked { try printer.staleness.read(&client) }
      for question in questions { question.request = client.enqueue(.get(.name(question.name))) }
      for question in questions {
        let name = question.name.text
        do throws(Failure) {
          guard case .value(let state) = try client.receive(question.request) else { throw .unexpectedReply }
          try printer.show(name, state, to: &output)
        } catch {
          guard error.isHub(.noSuchStore) else { throw error }
          try printer.miss(name, error, to: &output)
        }
      }
      try printer.finish()
    }
  }
}
