// `statectl elect`: a command that runs at one of several candidates.

internal import HubCore

extension VerbSpec {
  static let elect = VerbSpec(
    "elect", "NAME -- CMD...", 2 ... .max,
    options: Options([.grace, .killAfter]),
    summary: "run a command while being the leader",
    details: """
      Like lock, whose holder is the leader. It waits for as long as it takes, also for a hub that is
      away; when the leadership is lost it ends CMD and waits for the next turn. It ends when CMD ends
      by itself, with its status, or after a signal.
      """,
    examples: ["elect scheduler -- ./scheduler"],
    action: .follow { words throws(Failure) in try LockCommand(words, .leadership) })
}
