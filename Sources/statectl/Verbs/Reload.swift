// `statectl reload`: a new configuration and program for the hub, and what the hub says about them.

internal import HubCore

extension VerbSpec {
  static let reload = VerbSpec(
    "reload", "", 0...0,
    summary: "reload the configuration and switch to the installed program",
    details: """
      The hub reads its configuration, and replaces itself with the installed program. No client notices:
      connections, watches and values stay. If the configuration is not valid nothing happens, and everything
      that is wrong with it is printed. Settings that wait for the next start are named on standard error.
      """,
    examples: ["reload"],
    action: .ask(ReloadCommand.init))
}

struct ReloadCommand: HubCommand {
  private let json: Bool

  init(_ words: CommandLineWords) { json = words.has(.json) }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    let answer: Reply
    do throws(Failure) {
      answer = try client.ask(.reload)
    } catch {
      guard case .hub(let problem) = error, error.isHub(.invalidConfiguration) else { throw error }
      // One line for each thing that is wrong.
      for line in problem.message.split(separator: "\n") { complain(String(line)) }
      throw .status(error.status)
    }
    guard case .reloaded(let release, let notes) = answer else { throw .unexpectedReply }
    for note in notes { complain(note) }
    if json { try output.json { $0.member("release", release) } }
  }
}
