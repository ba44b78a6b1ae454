// `statectl lock`: a command that only one runs at a time.

internal import HubCore

extension VerbSpec {
  static let lock = VerbSpec(
    "lock", "NAME -- CMD...", 2 ... .max,
    options: Options([.patience, .grace, .killAfter]),
    summary: "run a command while nobody else has the lock",
    details: """
      Waits until the lock is free, runs CMD, and frees it. NAME is a store that exists while
      the lock is held; it ends with the holder. STATEHUB_FENCE in the environment of CMD is a
      number that is greater for each later holder; NAME.fence keeps it, as its revision. When the
      lock is lost (the hub was killed, or somebody has removed NAME), CMD gets SIGTERM, and SIGKILL
      if it takes too long, and the status is 11. Signals are passed on to CMD; else its exit status
      is statectl's. Status 124: the lock was not free in time.
      """,
    examples: ["lock backup -- rsync -a /home /mnt", "lock backup --wait 0 -- rsync -a /home /mnt"],
    action: .follow { words throws(Failure) in try LockCommand(words, .lock) })
}
