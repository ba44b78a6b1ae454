// Clocks, the count of allocations, and the JSON object that a measurement ends with. It measures nothing by itself.

import Glibc
import Synchronization

func nowNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// What the process has spent so far.
struct Spent {
  var microseconds: Double
  /// Of memory; 0 if nothing counts it.
  var allocations: Int

  static var now: Spent {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Spent(
      microseconds: Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3, allocations: allocationCount())
  }

  static func - (a: Spent, b: Spent) -> Spent {
    Spent(microseconds: a.microseconds - b.microseconds, allocations: a.allocations - b.allocations)
  }
}

/// From the counting library, if it was preloaded.
private let allocationCount: @Sendable () -> Int = {
  guard let symbol = dlsym(nil, "allocation_count") else { return { 0 } }
  let count = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
  return { count() }
}()

/// Past stdio, whose lock on the input the main thread may hold for good.
func say(_ line: String) {
  var line = line + "\n"
  _ = line.withUTF8 { write(1, $0.baseAddress, $0.count) }
}

/// The same for what is said while it is measured: no text is made.
func say(line: StaticString) { write(1, line.utf8Start, line.utf8CodeUnitCount) }

/// Latencies in nanoseconds, and what they cost.
func report(_ samples: [Int], _ spent: Spent) {
  let sorted = samples.sorted()
  func at(_ share: Double) -> Double { Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1e3 }
  say(
    "{\"count\": \(samples.count), \"p50_us\": \(at(0.5)), \"p99_us\": \(at(0.99)), "
      + "\"cpu_us\": \(spent.microseconds / Double(samples.count)), "
      + "\"allocations\": \(Double(spent.allocations) / Double(samples.count))}")
}

/// What `changes` cost that went to some streams each.
func report(changes: Int, deliveries: Int, _ spent: Spent) {
  say(
    "{\"changes\": \(changes), \"delivered\": \(deliveries), "
      + "\"cpu_us_per_change\": \(spent.microseconds / Double(changes)), "
      + "\"cpu_us_per_delivery\": \(spent.microseconds / Double(deliveries)), "
      + "\"allocations\": \(Double(spent.allocations) / Double(deliveries))}")
}

/// Holds what was measured until whoever counts from outside has taken its figures: until the input ends.
func awaitEndOfInput() {
  while readLine() != nil {}
}
