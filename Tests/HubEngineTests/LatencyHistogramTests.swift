// How times are counted, and what percentiles say about them.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Latency histograms") struct LatencyHistogramTests {
  @Test(
    "every time is in a class that it does not exceed, by less than an eighth, and classes follow each other")
  func classes() {
    var random = SeededGenerator(seed: 1)
    var times: [UInt64] = Array(0...4096)
    for bit in 12..<40 as Range<UInt64> {
      times += [1 << bit - 1, 1 << bit, 1 << bit + 1]
      times += (0..<50).map { _ in .random(in: 1 << bit..<1 << (bit + 1), using: &random) }
    }
    var last = 0
    for time in times.sorted() {
      let index = LatencyHistogram.index(of: time)
      let longest = LatencyHistogram.longest(of: index)
      #expect(longest >= time && longest - time <= time / 8, "\(time): \(longest)")
      #expect(index == last || index == last + 1 || time > 4096, "\(time)")
      last = index
    }
    #expect(LatencyHistogram.index(of: .max) == LatencyHistogram.classCount - 1)
    #expect(LatencyHistogram.index(of: 1 << 40) == LatencyHistogram.classCount - 1)
    #expect(LatencyHistogram.index(of: 1 << 39) == LatencyHistogram.classCount - 8)
  }

  @Test("percentiles are those of the sorted times, an eighth too high at most and never above the longest")
  func percentiles() {
    var random = SeededGenerator(seed: 2)
    var histogram = LatencyHistogram()
    #expect(histogram.percentile(50) == 0 && histogram.longest == 0)
    let times = (0..<1000).map { _ in
      let bits = UInt64.random(in: 1..<30, using: &random)
      return UInt64.random(in: 0..<1 << bits, using: &random)
    }
    for time in times { histogram.add(time) }
    let sorted = times.sorted()
    for share in [1, 50, 90, 99, 100] as [UInt64] {
      let exact = sorted[Int(share) * 10 - 1]
      let found = histogram.percentile(share)
      #expect(found >= exact && found <= exact + exact / 8 && found <= sorted.last!, "\(share)")
    }
    #expect(histogram.longest == sorted.last)
    histogram.add(1 << 35, count: 100_000)
    #expect(histogram.percentile(2) == 1 << 35, "a class is never said to be longer than the longest")
  }

  @Test("counts of any size have percentiles: an image may say what it likes of the past")
  func anyCounts() {
    var histogram = LatencyHistogram()
    histogram.add(5, count: .max / 2)
    histogram.add(1000, count: .max / 2)
    #expect(histogram.percentile(50) == 5)
    #expect(histogram.percentile(51) == 1000 && histogram.percentile(100) == 1000)
    histogram.add(1000, count: 1)
    #expect(histogram.percentile(100) == 1000)
  }

  @Test("recent times are those of one to two minutes, all times stay")
  func recent() {
    let minute: UInt64 = 60_000_000_000
    var times = Latencies()
    times.add(1000, turns: 3, requests: 0, at: 5 * minute)
    times.add(10, turns: 1, requests: 0, at: 5 * minute + 1)
    #expect(times.recent(at: 5 * minute + 2).turns.longest == 1000)
    times.add(20, turns: 1, requests: 0, at: 6 * minute)
    #expect(times.recent(at: 6 * minute).turns.longest == 1000, "the minute before still counts")
    times.add(30, turns: 1, requests: 0, at: 7 * minute)
    #expect(times.recent(at: 7 * minute).turns.longest == 30)
    #expect(times.recent(at: 8 * minute).turns.longest == 30)
    #expect(times.recent(at: 9 * minute).turns.longest == 0, "nothing has happened lately")
    times.add(40, turns: 1, requests: 0, at: 20 * minute)
    #expect(
      times.recent(at: 20 * minute).turns.longest == 40
        && times.recent(at: 20 * minute).turns.percentile(1) == 40)
    #expect(
      times.all.turns.longest == 1000
        && times.all.turns.percentile(50) == LatencyHistogram.longest(of: LatencyHistogram.index(of: 40)))
  }

  @Test("requests count with their turn, or with the time that they have waited")
  func requests() {
    var fixture = EngineFixture { _ in }
    let session = fixture.connect(1, uid: 0)
    _ = fixture.engine.monitoring.note(turn: 100, at: 1)
    for _ in 0..<9 { _ = fixture.ask(session, .ping) }
    _ = fixture.engine.monitoring.note(turn: 1000, at: 2)
    _ = fixture.ask(session, .ping)
    fixture.engine.monitoring.noteRequests(1_000_000, at: 3)
    // Nothing was asked since: nothing has waited so long.
    fixture.engine.monitoring.noteRequests(1_000_000_000, at: 4)
    _ = fixture.engine.monitoring.note(turn: 7, at: 4)
    guard case .statistics(let figures) = fixture.ask(session, .stats) else { return }
    let named = Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0.value) })
    // With the hello there are eleven.
    #expect(named["request_p50_ns"]! >= 1000 && named["request_p50_ns"]! < 1125)
    #expect(named["request_p99_ns"] == 1_000_000 && named["request_longest_ns"] == 1_000_000)
    #expect(
      named["turn_p50_ns"]! >= 100 && named["turn_p50_ns"]! < 113 && named["turn_recent_longest_ns"] == 1000)
  }
}
