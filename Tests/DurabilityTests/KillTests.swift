// The kill test in its short form; `Tools/durability/run kill` is the long one.

import TestSupport
import Testing

@Suite("Hubs that are killed", .blocking)
struct KillTests {
  @Test("under writers and watchers, every promise outlives every end", arguments: [1, 2] as [UInt64])
  func rounds(_ seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let test = try ChildProcess(
      ChildProcess.built("durability"), ["kill", "12", "\(seed)"],
      environment: ["SWIFT_BACKTRACE": "enable=no"], directory: directory)
    #expect(try test.wait() == .status(0), "\(test.standardOutput)\(test.standardError)")
    // A test in which nothing was written shows nothing.
    let counts = try #require(
      test.standardOutput.firstMatch(of: /([0-9]+) acknowledged.* ([0-9]+) views checked/))
    #expect(Int(counts.1)! > 12 && Int(counts.2)! > 12, "\(test.standardOutput)")
  }
}
