// `statectl elect`: runs a command on one of several candidates.

internal import HubCore

extension VerbSpec {
  static let elect = VerbSpec(
    "elect", "NAME -- CMD...", 2 ... .max,
    options: Options([.grace, .killAfter]),
    summary: "run a command while elected as leader",
    details: """
      Works like lock: the holder is the leader. Waits indefinitely, even while the hub is away. When leadership
      is lost, it stops CMD and waits to be elected again. It exits after a signal, or when CMD exits by itself,
      with the same status.
      """,
    examples: ["elect scheduler -- ./scheduler"],
    action: .follow { words throws(Failure) in try Holder.lock(words, .leadership) })
}
