// From the command line to the exit status: parses the words, connects if the verb needs the hub, and reports failures.

internal import HubCore
internal import HubSystem
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
      return end(with: error, &output)
    }
  }

  /// Output from before a failure is still useful. If everything was printed and only a status is left, it must have arrived.
  private static func end(with failure: Failure, _ output: inout Output) -> Int32 {
    do throws(Failure) {
      try output.flush()
    } catch {
      if case .status = failure {
        error.complain()
        return error.status
      }
    }
    failure.complain()
    return failure.status
  }

  private static func run(_ arguments: [Argument], _ output: inout Output) throws(Failure) {
    if arguments.isEmpty {
      try output.write(Help.overview)
      throw .status(ExitStatus.usage)
    }
    let words = try ArgumentParser.parse(arguments)
    output.isJSON = words.has(.json)
    if words.has(.version) { return try output.line("statectl \(Release.version)") }
    guard let verb = words.verb, !words.has(.help) else {
      return try output.write(try Help.text(for: words))
    }
    switch verb.action {
    case .tell(let text): try output.write(try text(words))
    case .ask(let command): try ask(verb, words, command, &output)
    case .write(_, let command?): try ask(verb, words, command, &output)
    case .write(let one, nil):
      try ask(verb, words, { words throws(Failure) in try one(words).command(words) }, &output)
    case .follow(let command):
      let place = try words.place()
      let patience = try Patience(words)
      if !patience.looksOnce { output.deadline = patience.deadline }
      try command(words)(place, patience, &output)
    }
  }

  private static func ask(
    _ verb: VerbSpec, _ words: CommandLineWords,
    _ makeCommand: (CommandLineWords) throws(Failure) -> HubCommand, _ output: inout Output
  ) throws(Failure) {
    let place = try words.place()
    // First, because it may read standard input, which the time limit does not include.
    let command = try makeCommand(words)
    let deadline = try words.duration(.timeout).map { Deadline.after($0) }
    func run(_ output: inout Output) throws(Failure) {
      var client = try Client(to: place, for: verb, until: deadline)
      try command(&client, &output)
    }
    if words.has(.http) { try answer(&output, run) } else { try run(&output) }
  }

  /// The command's output becomes the reply to the HTTP request on standard input, and so does its failure.
  private static func answer(
    _ output: inout Output, _ run: (inout Output) throws(Failure) -> Void
  ) throws(Failure) {
    let response: HTTPResponse
    do throws(HTTPResponse) {
      let patience = Deadline.after(HTTPResponse.patience)
      guard let head = try HTTPResponse.readHead(from: StandardStream.input.raw, until: patience) else {
        return
      }
      response = HTTPResponse.answer(head) { () throws(Failure) in
        var body = Output(collecting: true)
        try run(&body)
        return body.takeAll()
      }
    } catch {
      response = error
    }
    try output.write(response.bytes)
  }
}
