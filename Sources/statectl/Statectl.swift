// From the command line to the exit status: takes the words apart, connects if the verb asks the hub, says what failed.

internal import HubCore
internal import HubTransport

/// A verb that asks the hub something and is done. Making one checks all its words, so that a mistake costs no connection.
protocol HubCommand {
  func run(_ client: inout Client, _ output: inout Output) throws(Failure)
}

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
    guard let verb = words.verb, verb != .help, !words.has(.help) else {
      return try output.write(try Help.text(for: words))
    }
    let place = try words.place()
    switch verb {
    case .watch: return try WatchCommand(words).run(at: place, within: try Patience(words), &output)
    case .wait: return try WaitCommand(words).run(at: place, within: try Patience(words), &output)
    default: break
    }
    let deadline = try words.duration(.timeout).map { Deadline.after($0) }
    let command = try command(for: verb, words)
    var client = try Client(to: place, for: verb, until: deadline)
    try command.run(&client, &output)
  }

  private static func command(for verb: Verb, _ words: CommandLineWords) throws(Failure) -> any HubCommand {
    switch verb {
    case .get: try GetCommand(words)
    case .set: try SetCommand(words)
    case .add, .toggle, .reset, .remove, .create: try WriteCommand(words)
    case .txn: try TransactionCommand(words, script: try StandardInput.read())
    case .list: try ListCommand(words)
    case .describe: try DescribeCommand(words)
    case .dump: try DumpCommand(words)
    case .load: try LoadCommand(words)
    case .clients: ClientsCommand(words)
    case .stats: StatsCommand(words)
    case .reload: ReloadCommand(words)
    case .ping, .watch, .wait, .help: PingCommand(words)
    }
  }
}
