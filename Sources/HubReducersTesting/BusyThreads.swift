// Owns what the kernel says about the threads of this process: which of them run, or would if they could.

import Glibc

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

  /// Whether each of them has waited meanwhile, or has run for a while. One that never gets the processor has not.
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
    guard let directory = opendir("/proc/self/task") else { return [] }
    defer { closedir(directory) }
    let own = own
    var others: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != own, name.first?.isNumber == true { others.append(name) }
    }
    return others
  }

  /// The last part of `41/task/43`, to which a link leads.
  private static var own: String? {
    let path = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = buffer.withMemoryRebound(to: CChar.self) {
        readlink("/proc/thread-self", $0.baseAddress!, $0.count)
      }
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    return path.split(separator: "/").last.map(String.init)
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
    let file = open("/proc/self/task/\(thread)/\(file)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
      let count = Glibc.read(file, buffer.baseAddress, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
