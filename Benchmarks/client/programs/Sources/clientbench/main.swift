// Measures the Swift client against a hub that `run` has started: one measurement per process, one JSON object out.

import Glibc
import HubClient
import Synchronization

func nowNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func cpuMicroseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Allocations of this process, if the counter was preloaded; else 0.
let allocations: @Sendable () -> Int = {
  guard let symbol = dlsym(nil, "allocation_count") else { return { 0 } }
  let count = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
  return { count() }
}()

func report(_ samples: [Int], cpu: Double, allocations: Int, _ more: String = "") {
  let sorted = samples.sorted()
  func at(_ share: Double) -> Double { Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1e3 }
  print(
    "{\"count\": \(samples.count), \"p50_us\": \(at(0.5)), \"p99_us\": \(at(0.99)), "
      + "\"cpu_us\": \(cpu / Double(samples.count)), "
      + "\"allocations\": \(Double(allocations) / Double(samples.count))\(more)}")
}

/// One stream: the age of every value when the body of the loop sees it.
func follow(_ store: SharedValue<Int>, _ count: Int, on executor: (any TaskExecutor)?) async throws {
  try await store.set(0)
  let task = Task(executorPreference: executor) {
    var samples: [Int] = []
    samples.reserveCapacity(count)
    var (cpu, made) = (0.0, 0)
    for try await value in store.values(.every(limit: 1 << 16)) {
      let now = nowNanoseconds()
      if value == 0 {
        print("ready")
        fflush(nil)
        (cpu, made) = (cpuMicroseconds(), allocations())
        continue
      }
      samples.append(now - value)
      if samples.count == count { break }
    }
    report(samples, cpu: cpuMicroseconds() - cpu, allocations: allocations() - made)
  }
  try await task.value
}

final class Progress: Sendable {
  let ready = Atomic(0)
  let delivered = Atomic(0)
  let start = Mutex((cpu: 0.0, allocations: 0))
}

/// Many streams of one store: what each of `count` changes costs the process.
func streams(_ store: SharedValue<Int>, _ streams: Int, _ count: Int, on executor: (any TaskExecutor)?)
  async throws
{
  try await store.set(0)
  let progress = Progress()
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<streams {
      group.addTask(executorPreference: executor) {
        var seen = 0
        for try await value in store.values(.every(limit: 1 << 16)) {
          if value == 0 {
            if progress.ready.add(1, ordering: .relaxed).newValue == streams {
              progress.start.withLock { $0 = (cpuMicroseconds(), allocations()) }
              print("ready")
              fflush(nil)
            }
            continue
          }
          seen += 1
          progress.delivered.add(1, ordering: .relaxed)
          if seen == count { break }
        }
      }
    }
    try await group.waitForAll()
  }
  let (cpu, made) = progress.start.withLock { $0 }
  let spent = cpuMicroseconds() - cpu
  let total = progress.delivered.load(ordering: .relaxed)
  print(
    "{\"streams\": \(streams), \"changes\": \(count), \"delivered\": \(total), "
      + "\"cpu_us_per_change\": \(spent / Double(count)), \"cpu_us_per_delivery\": \(spent / Double(total)), "
      + "\"allocations\": \(Double(allocations() - made) / Double(total))}")
}

func request(_ store: SharedValue<Int>, _ count: Int, sets: Bool, on executor: (any TaskExecutor)?)
  async throws
{
  try await store.set(-1)
  try await Task(executorPreference: executor) {
    var samples: [Int] = []
    samples.reserveCapacity(count)
    let (cpu, made) = (cpuMicroseconds(), allocations())
    for index in 0..<count {
      let start = nowNanoseconds()
      if sets { try await store.set(index) } else { _ = try await store.current }
      samples.append(nowNanoseconds() - start)
    }
    report(samples, cpu: cpuMicroseconds() - cpu, allocations: allocations() - made)
  }.value
}

func blocking(_ path: String, _ name: String, _ count: Int, sets: Bool) throws {
  var hub = try HubConnection(to: .explicit(path), name: "bench")
  let store = StoreReference.name(try StoreName(name))
  _ = try hub.request(.write(.set(store, .integer(-1))))
  var samples: [Int] = []
  samples.reserveCapacity(count)
  let (cpu, made) = (cpuMicroseconds(), allocations())
  for index in 0..<count {
    let start = nowNanoseconds()
    _ = try hub.request(sets ? .write(.set(store, .integer(Int64(index)))) : .get(store))
    samples.append(nowNanoseconds() - start)
  }
  report(samples, cpu: cpuMicroseconds() - cpu, allocations: allocations() - made)
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let count = Int(arguments[4]) else {
  print(
    "usage: clientbench follow|streams|get|put|blocking-get|blocking-put SOCKET STORE COUNT [executor|pool] [STREAMS]"
  )
  exit(2)
}
let (path, name) = (arguments[2], arguments[3])
let hub = Hub(.explicit(path), name: "bench", patience: .seconds(60))
let store = hub.value(name, of: Int.self)
let executor = arguments.count > 5 && arguments[5] == "pool" ? nil : hub.executor
switch arguments[1] {
case "follow": try await follow(store, count, on: executor)
case "streams": try await streams(store, Int(arguments[6])!, count, on: executor)
case "get", "put": try await request(store, count, sets: arguments[1] == "put", on: executor)
default: try blocking(path, name, count, sets: arguments[1] == "blocking-put")
}
