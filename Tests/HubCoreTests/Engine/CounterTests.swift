// Counters in an image: a list that only grows.

import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Counters in an image")
struct CounterTests {
  /// Words that differ from each other.
  private let words = (1...24 + 3 * (LatencyHistogram.classCount + 1)).map { UInt64($0) * 1001 }

  @Test("come back as they were")
  func roundTrip() {
    var (tally, feed, latencies) = (Tally(), FeedTally(), Latencies.Histograms())
    let counters = ServerCounters(words: words, tally: &tally, &feed, &latencies)
    #expect(counters.words(with: tally, feed, latencies) == words)
    #expect(tally.conflicts == words[11] && feed.deliveries == words[2] && counters.longestTurn == words[13])
  }

  @Test("of an older hub, which had fewer, leave those that it did not count at zero")
  func older() {
    var (tally, feed, latencies) = (Tally(), FeedTally(), Latencies.Histograms())
    let counters = ServerCounters(
      words: Array(words[..<ServerCounters.leastWordCount]), tally: &tally, &feed, &latencies)
    #expect(
      counters.words(with: tally, feed, latencies)
        == words[..<ServerCounters.leastWordCount]
        + [UInt64](repeating: 0, count: words.count - ServerCounters.leastWordCount))
    #expect(counters.turns == words[10] && tally.requests == words[0])
  }
}
