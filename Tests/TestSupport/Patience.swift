// How long tests wait for what must come. Beside builds and other tests a process, or a task, may get no processor time for
// minutes: only a test of a time-out has one that a busy machine can reach. For the same reason no test has a time limit: whoever
// runs all of them ends what hangs, as `.ci/run` does, and names it.

extension Duration {
  /// Longer than any test may take.
  public static let unhurried = Duration.seconds(3600)
}

/// How long a process or a socket is waited for, in seconds.
public let longestWait = 600.0

/// The same for `poll`, in milliseconds.
public let longestPoll = Int32(600_000)

/// The same, in looks with 2 ms between them.
public let longestLooks = 300_000
