// Owns giving way to tasks that no executor of a test's own runs: for as long as they have something to do, as far as
// anybody can tell.

enum OtherTasks {
  /// Lets tasks run that were started or woken just before, until they wait for something.
  ///
  /// Nobody is told when a task waits. But queues are first in, first out, so a task that is enqueued now has begun
  /// once one behind it has; and then it has come to its next wait, or to another queue, once each thread of the process
  /// has been seen waiting, or has had the processor for a while. That is how it is on a busy machine, too.
  /// - Parameters:
  ///   - rounds: Through how many queues a task may go one after the other.
  ///   - isEnough: Ends it before the last round.
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

  /// Returns after what is in the queues now has begun: the main actor's, and those of the usual priorities. Where the
  /// queues are long this takes long, so they are gone through at the same time.
  static func giveWay() async {
    let turns = [
      Task { @MainActor in }, Task.detached(priority: Task.currentPriority) {},
      Task.detached(priority: .medium) {},
    ]
    for turn in turns { await turn.value }
  }
}
