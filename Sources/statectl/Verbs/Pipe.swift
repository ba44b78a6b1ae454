// `statectl pipe`: the hub for any program that can read and write lines.

internal import HubCore
internal import HubTransport

extension VerbSpec {
  static let pipe = VerbSpec(
    "pipe", "", 0...0,
    summary: "execute requests given as lines of JSON on standard input",
    details: """
      Each line of standard input is a request; each line of standard output is a reply or an event.
      Requests are \(PipeOperation.allCases.map(\.rawValue).joined(separator: ", ")).
      It survives restarts of the hub, and exits at the end of its input. See pipe.md for details.
      """,
    examples: ["pipe < requests.jsonl"],
    action: .follow(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> FollowingCommand {
  let patience = try words.answerPatience()
  return { place, _, output throws(Failure) in
    var session = PipeSession(at: place, patience: patience)
    try session.run(&output)
  }
}
