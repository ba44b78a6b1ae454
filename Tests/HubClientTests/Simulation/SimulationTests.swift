// The client's core against the hub's engine under random histories: both pure, so that a seed repeats a history exactly.

import TestSupport
import Testing

@Suite("The client against the engine")
struct SimulationTests {
  static let scenarios = [
    Scenario(name: "everybody reads"),
    Scenario(name: "every change, everybody reads", every: true),
    Scenario(name: "slow connections", isSlow: true),
    Scenario(name: "lost connections", disconnects: true),
    Scenario(name: "slow and lost connections", isSlow: true, disconnects: true),
    Scenario(name: "every change, slow and lost connections", every: true, isSlow: true, disconnects: true),
    Scenario(name: "tiny log, slow and lost connections", logBytes: 400, isSlow: true, disconnects: true),
    Scenario(
      name: "every change, tiny log", logBytes: 400, every: true, isSlow: true, disconnects: true),
    Scenario(name: "few removals remembered", removals: 2, isSlow: true, disconnects: true),
    Scenario(name: "the hub loses its state", isSlow: true, disconnects: true, newEpochs: true),
    Scenario(
      name: "lifetimes", logBytes: 4096, removals: 8, isSlow: true, disconnects: true, newEpochs: true,
      lifetimes: true),
  ]

  static let seeds = testSeeds(usually: 40)
  /// Another range with this one.
  static let firstSeed = numberInEnvironment("STATEHUB_TEST_FIRST_SEED") ?? 0
  static let isTraced = numberInEnvironment("STATEHUB_TEST_TRACE") != nil

  @Test("Ordered, Unique, Atomic, Race-free, Resumable, Honest, Latest hold with", arguments: scenarios)
  func promises(_ scenario: Scenario) {
    for seed in SimulationTests.firstSeed..<SimulationTests.firstSeed + SimulationTests.seeds {
      var scenario = scenario
      scenario.isTraced = SimulationTests.isTraced
      let problems = scenario.play(seed: UInt64(seed))
      if problems.isEmpty { continue }
      Issue.record("\(scenario.name), seed \(seed): \(problems.prefix(3).joined(separator: "\n"))")
      return
    }
  }
}
