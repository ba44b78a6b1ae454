// Owns how long turns and requests take: since the start, and in the last one to two minutes.

import HubCore

/// Both are counted with the same classes, so that a turn costs one look-up. Every turn adds to it: its memory is never shared,
/// and a few instructions do it.
struct Latencies: ~Copyable {
  struct Counts {
    var turns: UInt64 = 0
    var requests: UInt64 = 0
  }

  struct Histograms {
    var turns = LatencyHistogram()
    var requests = LatencyHistogram()

    mutating func merge(_ other: Histograms) {
      turns.merge(other.turns)
      requests.merge(other.requests)
    }
  }

  /// The current minute, by class.
  private var classes = Table<Counts>()
  private var longest = Counts()
  /// When it ends, in nanoseconds.
  private var end: UInt64 = 0
  private var previous = Histograms()
  private var earlier = Histograms()

  private static let minute: UInt64 = 60_000_000_000

  init() {
    for _ in 0..<LatencyHistogram.classCount { classes.append(Counts()) }
  }

  /// - Parameters:
  ///   - time: how long each of them has taken, in nanoseconds.
  ///   - now: nanoseconds of a clock that never jumps.
  @inline(__always)
  mutating func add(_ time: UInt64, turns: UInt64, requests: UInt64, at now: UInt64) {
    if now >= end { beginMinute(now) }
    let counts = classes.address(of: LatencyHistogram.index(of: time))
    counts.pointee.turns &+= turns
    counts.pointee.requests &+= requests
    if turns > 0 { longest.turns = max(longest.turns, time) }
    if requests > 0 { longest.requests = max(longest.requests, time) }
  }

  @inline(never)
  private mutating func beginMinute(_ now: UInt64) {
    let current = current
    earlier.merge(current)
    previous = now < end + Latencies.minute ? current : Histograms()
    for index in classes.indices { classes[index] = Counts() }
    longest = Counts()
    end = now + Latencies.minute
  }

  private var current: Histograms {
    func histogram(_ part: KeyPath<Counts, UInt64>) -> LatencyHistogram {
      LatencyHistogram(
        counts: classes.indices.map { classes[$0][keyPath: part] }, longest: longest[keyPath: part])
    }
    return Histograms(turns: histogram(\.turns), requests: histogram(\.requests))
  }

  var all: Histograms {
    var all = earlier
    all.merge(current)
    return all
  }

  func recent(at now: UInt64) -> Histograms {
    var recent = Histograms()
    if now < end + Latencies.minute { recent.merge(current) }
    if now < end { recent.merge(previous) }
    return recent
  }
}
