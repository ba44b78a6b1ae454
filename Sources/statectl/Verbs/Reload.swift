// `statectl reload`: a new configuration and program for the hub, and its reply.

internal import HubCore

extension VerbSpec {
  static let reload = VerbSpec(
    "reload", "", 0...0,
    summary: "reload the configuration and switch to the installed program",
    details: """
      The hub reads its configuration again, and replaces itself with the installed program. Clients are not
      affected: connections, watches and values remain. If the configuration is invalid, nothing changes and all
      errors are printed. Settings that take effect only at the next start are listed on standard error.
      """,
    examples: ["reload"],
    action: .ask { _ in command })
}

private func command(_ client: inout Client, _ output: inout Output) throws(Failure) {
  let answer: Reply
  do throws(Failure) {
    answer = try client.ask(.reload)
  } catch {
    guard case .hub(let problem) = error, error.isHub(.invalidConfiguration) else { throw error }
    // One line for each error.
    for line in problem.message.split(separator: "\n") { complain(String(line)) }
    throw .status(error.status)
  }
  guard case .reloaded(let release, let notes) = answer else { throw .unexpectedReply }
  for note in notes { complain(note) }
  if output.isJSON { try output.json { $0.member("release", release) } }
}
