// Owns yielding to tasks that no test executor runs, while the kernel's view of the threads shows that they have work.

import HubSystem

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

/// The other threads that were running when this was made, and still are.
struct BusyThreads {
  /// Their processor time in nanoseconds at the beginning.
  private var times: [String: Int]

  /// This much processor time is plenty for a step of a task between two waits.
  private static let step = 2_000_000

  init() {
    times = [:]
    for thread in Self.others where Self.isRunning(thread) { times[thread] = Self.time(of: thread) }
  }

  /// Whether each of them has waited in the meantime, or has run for a while. A thread that never got the processor has done
  /// neither.
  var haveDoneTheirWork: Bool {
    mutating get {
      times = times.filter { thread, time in
        Self.isRunning(thread) && Self.time(of: thread).map { $0 < time + Self.step } ?? false
      }
      return times.isEmpty
    }
  }

  /// The ids of all threads but the one that asks.
  private static var others: [String] {
    let own = own
    let names = (try? Directory.names(at: "/proc/self/task")) ?? []
    return names.filter { $0 != own }
  }

  /// The last part of `41/task/43`, to which a link leads.
  private static var own: String? {
    File.linkTarget(of: "/proc/thread-self").flatMap { $0.split(separator: "/").last.map(String.init) }
  }

  /// The state is the word after the name in `7 (its name) S 1 ...`; R also means a thread that waits for a processor.
  private static func isRunning(_ thread: String) -> Bool {
    let text = read("stat", of: thread)
    guard let end = text.lastIndex(of: ")") else { return false }
    return text[end...].dropFirst(2).first == "R"
  }

  /// The first number of `schedstat`; `nil` once the thread has ended.
  private static func time(of thread: String) -> Int? {
    read("schedstat", of: thread).split(separator: " ").first.flatMap { Int($0) }
  }

  private static func read(_ file: String, of thread: String) -> String {
    let bytes = try? File.contents(of: "/proc/self/task/\(thread)/\(file)", limit: 128)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}
