// What one reading of `SharedValue.cached` costs with an open stream, beside an atomic read and a lock: from one thread, and
// from four at once, in processor time.

import Glibc
import HubClient
import Synchronization

/// A number behind an atomic and one behind a lock: what `cached` is compared with.
private final class Plain: Sendable {
  let atomic = Atomic(1)
  let locked = Mutex(1)
}

func readCached(_ hub: Hub, _ name: String, _ count: Int) async throws {
  let plain = Plain()
  let (number, flag) = (hub.value(name, of: Int.self), hub.value(name + ".flag", of: Bool.self))
  let (level, text) = (
    hub.value(name + ".level", of: Double.self), hub.value(name + ".text", of: String.self)
  )
  try await number.set(1)
  try await flag.set(true)
  try await level.set(1)
  try await text.set("a")
  var streams = (
    number.values.makeAsyncIterator(), flag.values.makeAsyncIterator(), level.values.makeAsyncIterator(),
    text.values.makeAsyncIterator()
  )
  _ = (
    try await streams.0.next(), try await streams.1.next(), try await streams.2.next(),
    try await streams.3.next()
  )
  let rows: [(String, @Sendable () -> Int)] = [
    ("an atomic read", { plain.atomic.load(ordering: .acquiring) }),
    ("a lock", { plain.locked.withLock { $0 } }),
    ("cached, integer", { number.cached ?? 0 }),
    ("cached, boolean", { flag.cached == true ? 1 : 0 }),
    ("cached, double", { level.cached == 1 ? 1 : 0 }),
    ("cached, string", { text.cached == "a" ? 1 : 0 }),
  ]
  var cells: [String] = []
  for (name, read) in rows {
    let allocations = Spent.now.allocations
    let alone = time(1, count, read)
    let allocated = Double(Spent.now.allocations - allocations) / Double(count)
    cells.append(
      "\"\(name)\": {\"one\": \(alone), \"four\": \(time(4, count, read)), \"allocations\": \(allocated)}")
  }
  say("{\(cells.joined(separator: ", "))}")
}

/// What a thread of a measurement does.
private final class Work: Sendable {
  let count: Int
  let read: @Sendable () -> Int
  let spent = Atomic(0)
  let sum = Atomic(0)

  init(_ count: Int, _ read: @escaping @Sendable () -> Int) {
    self.count = count
    self.read = read
  }

  func run() {
    let begin = threadNanoseconds()
    var sum = 0
    for _ in 0..<count { sum &+= read() }
    spent.add(threadNanoseconds() - begin, ordering: .relaxed)
    self.sum.add(sum, ordering: .relaxed)
  }
}

/// Nanoseconds of processor time for each reading, of so many threads at once.
private func time(_ threads: Int, _ count: Int, _ read: @escaping @Sendable () -> Int) -> Double {
  let work = Work(count, read)
  var started: [pthread_t] = []
  for _ in 0..<threads {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { work in
        Unmanaged<Work>.fromOpaque(work!).takeUnretainedValue().run()
        return nil
      }, Unmanaged.passUnretained(work).toOpaque())
    started.append(thread)
  }
  for thread in started { pthread_join(thread, nil) }
  precondition(work.sum.load(ordering: .relaxed) == threads * count, "what was read is not what was set")
  return Double(work.spent.load(ordering: .relaxed)) / Double(threads * count)
}

private func threadNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
