// Owns yielding to tasks that no test executor runs: as long as they seem to have work.

enum OtherTasks {
  /// Lets recently started or woken tasks run until they wait for something.
  ///
  /// Swift does not report when a task waits. But queues are first in, first out, so a task that is enqueued now has
  /// begun once a later one has. After that, it has reached its next wait, or another queue, once each thread of the
  /// process has been seen waiting or has had the processor for a while. This also holds on a busy machine.
  /// - Parameters:
  ///   - rounds: How many queues a task may pass through in sequence.
  ///   - isEnough: Stops before the last round.
  static func run(rounds: Int = 4, until isEnough: () -> Bool = { false }) async {
    let clock = ContinuousClock()
    let start = clock.now
    for round in 1...rounds {
      if round > 1, isEnough() { return }
      await giveWay()
      var threads = BusyThreads()
      while !threads.haveDoneTheirWork, start.duration(to: clock.now) < .seconds(1) { await giveWay() }
    }
  }

  /// Returns after everything now in the queues has begun: those of the main actor and of the usual priorities. Long
  /// queues take long, so they are processed at the same time.
  static func giveWay() async {
    let turns = [
      Task { @MainActor in }, Task.detached(priority: Task.currentPriority) {},
      Task.detached(priority: .medium) {},
    ]
    for turn in turns { await turn.value }
  }
}
