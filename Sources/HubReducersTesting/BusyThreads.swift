// Owns the kernel's view of the threads of this process: which of them are running or ready to run.

import HubSystem

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

  /// Whether each of them has waited meanwhile, or has run for a while. A thread that never got the processor has done
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
