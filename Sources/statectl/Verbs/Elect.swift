// `statectl elect`: a command that runs at one of several candidates.

internal import HubCore

extension VerbSpec {
  static let elect = VerbSpec(
    "elect", "NAME -- CMD...", 2 ... .max,
    options: Options([.grace, .killAfter]),
    summary: "run a command while being the leader",
    details: """
      Like lock, of which the leader is the holder. It waits without end, also for a hub that is
      away; and when the leadership is lost it ends CMD and stands again. It ends when CMD ends by
      itself, with its status, or with a signal.
      """,
    examples: ["elect scheduler -- ./scheduler"],
    action: .follow { words throws(Failure) in try LockCommand(words, .leadership) })
}
