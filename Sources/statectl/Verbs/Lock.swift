// `statectl lock`: runs a command while holding a lock.

internal import HubCore

extension VerbSpec {
  static let lock = VerbSpec(
    "lock", "NAME -- CMD...", 2 ... .max,
    options: Options([.patience, .holders, .shared, .grace, .killAfter]),
    summary: "run a command while holding a lock",
    details: """
      Waits until the lock is free, runs CMD, and frees it. Waiters get the lock in order of arrival. NAME is
      a store that exists only while the lock is held. STATEHUB_FENCE in the environment of CMD is a number
      that increases with each holder; it is also the revision of NAME.fence. With -n N, up to N commands run
      at a time. Commands with --shared hold the lock together, and one without waits for all of them. When
      the lock is lost (the hub was killed, or NAME was removed), CMD gets SIGTERM, then SIGKILL if it takes
      too long, and the status is 11. Signals are passed on to CMD; otherwise statectl exits with CMD's
      status. The status is 124 if the lock was not free in time.
      """,
    examples: [
      "lock backup -- rsync -a /home /mnt", "lock backup --wait 0 -- rsync -a /home /mnt",
      "lock encoder -n 4 -- ffmpeg -i in.mkv out.mp4", "lock catalogue --shared -- ./report",
    ],
    action: .follow { words throws(Failure) in try Holder.lock(words, .lock) })
}
