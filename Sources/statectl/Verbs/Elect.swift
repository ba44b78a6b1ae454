// `statectl elect`: a command that runs at one of several candidates.

internal import HubCore

extension VerbSpec {
  static let elect = VerbSpec(
    "elect", "NAME -- CMD...", 2 ... .max,
    options: Options([.grace, .killAfter]),
    summary: "run a command while elected as leader",
    details: """
      Like lock, whose holder is the leader. Waits indefinitely, also for a hub that is away. When the
      leadership is lost, it stops CMD and waits for the next turn. It exits when CMD exits by itself, with
      the same status, or after a signal.
      """,
    examples: ["elect scheduler -- ./scheduler"],
    action: .follow { words throws(Failure) in try LockCommand(words, .leadership) })
}
