// Owns giving way to tasks that no executor of a test's own runs: for as long as they have something to do, as far as
// anybody can tell.

import Glibc

enum OtherTasks {
  /// Lets tasks run that were started or woken just before, until they wait for something.
  ///
  /// Nobody is told when a task waits. But queues are first in, first out, so a task that is enqueued now has begun
  /// once one behind it has; and it has come to its next wait once no thread of the process is running any more. Where
  /// other tests keep threads busy all the time, `isEnough` or `limit` ends it.
  static func run(atMost limit: Duration, until isEnough: () -> Bool = { false }) async {
    let clock = ContinuousClock()
    let start = clock.now
    var turns = 0
    repeat {
      turns += 1
      await giveWay()
      if turns >= 3, areAllOtherThreadsIdle { return }
    } while turns < 20 || (!isEnough() && start.duration(to: clock.now) < limit)
  }

  /// Returns after what is in the queues now has begun: the main actor's, and that of each priority in use.
  private static func giveWay() async {
    await Task { @MainActor in }.value
    for priority in [Task.currentPriority, .medium, .background] {
      await Task.detached(priority: priority) {}.value
    }
  }

  /// Whether every thread of the process but this one waits, in the eyes of the kernel. One that is to run, but has no
  /// processor at present, does not wait.
  private static var areAllOtherThreadsIdle: Bool {
    guard let directory = opendir("/proc/self/task") else { return false }
    defer { closedir(directory) }
    let own = ownThread
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if own != name[...], name.first?.isNumber == true, isRunning(name) { return false }
    }
    return true
  }

  /// The last part of `41/task/43`, to which a link leads.
  private static var ownThread: Substring? {
    let path = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = buffer.withMemoryRebound(to: CChar.self) {
        readlink("/proc/thread-self", $0.baseAddress!, $0.count)
      }
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    return path.split(separator: "/").last
  }

  /// Whether the state of a thread, `S` in `7 (its name) S 1 ...`, is that of one which runs or could.
  private static func isRunning(_ thread: String) -> Bool {
    let file = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    let text = withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    guard let end = text.lastIndex(of: ")") else { return false }
    return text[end...].dropFirst(2).first == "R"
  }
}
