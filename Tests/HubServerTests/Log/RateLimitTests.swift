// How many lines of one kind are written.

import Testing

@testable import HubEngine
@testable import HubServer

@Suite("The log's rate limit")
struct RateLimitTests {
  @Test("a burst is written, the rest is counted, and the count comes with the next line")
  func limit() {
    var limit = RateLimit()
    let admitted = (0..<100).count { limit.admit(at: 1_000_000_000 + UInt64($0)).isAdmitted }
    #expect(admitted == RateLimit.burst)
    let next = limit.admit(at: 1_000_000_000 + RateLimit.window)
    #expect(next.isAdmitted)
    #expect(next.suppressed == 100 - RateLimit.burst)
    #expect(limit.takeSuppressed() == 0)
  }
}
