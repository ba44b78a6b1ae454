// From the command line to the exit status: takes the words apart, connects if the verb asks the hub, says what failed.

internal import HubCore
internal import HubTransport

enum Statectl {
  /// - Returns: the exit status.
  static func run(_ arguments: [Argument]) -> Int32 {
    Process.prepare()
    var output = Output()
    do throws(Failure) {
      try run(arguments, &output)
      try output.flush()
      return ExitStatus.done
    } catch {
      // What was printed before it failed is worth having.
      try? output.flush()
      error.complain()
      return error.status
    }
  }

  private static func run(_ arguments: [Argument], _ output: inout Output) throws(Failure) {
    let words = try ArgumentParser.parse(arguments)
    if words.has(.version) { return try output.line("statectl \(Release.version)") }
    guard let verb = words.verb, !words.has(.help) else {
      return try output.write(try Help.text(for: words))
    }
    switch verb.action {
    case .tell(let text): try output.write(try text(words))
    case .ask(let command): try ask(verb, words, command, &output)
    case .write(let command): try ask(verb, words, command, &output)
    case .follow(let command):
      let place = try words.place()
      try command(words).run(at: place, within: try Patience(words), &output)
    }
  }

  private static func ask(
    _ verb: VerbSpec, _ words: CommandLineWords,
    _ makeCommand: (CommandLineWords) throws(Failure) -> any HubCommand, _ output: inout Output
  ) throws(Failure) {
    let place = try words.place()
    let deadline = try words.duration(.timeout).map { Deadline.after($0) }
    let command = try makeCommand(words)
    var client = try Client(to: place, for: verb, until: deadline)
    try command.run(&client, &output)
  }
}
