// Random histories of a lock, without a process: who holds it, in which order, and whom a release wakes.

import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("The queue of a lock, without a hub")
struct LockQueueTests {
  private static let seeds = testSeeds(usually: 1000)

  /// What a lock is meant to be: the first one in the queue has it as soon as it may.
  private struct Model {
    private(set) var holders: [(number: Int, most: Int?)] = []
    private var queue: [(number: Int, most: Int?)] = []

    var count: Int { holders.count + queue.count }

    /// - Returns: how many have it now that did not before.
    mutating func arrive(_ number: Int, _ most: Int?) -> Int {
      queue.append((number, most))
      return grant()
    }

    mutating func end(_ number: Int) -> Int {
      holders.removeAll { $0.number == number }
      queue.removeAll { $0.number == number }
      return grant()
    }

    private mutating func grant() -> Int {
      var count = 0
      while let first = queue.first, isFree(for: first.most) {
        holders.append(queue.removeFirst())
        count += 1
      }
      return count
    }

    private func isFree(for most: Int?) -> Bool {
      guard let most else { return holders.isEmpty }
      return holders.count < most && !holders.contains { $0.most == nil }
    }
  }

  /// Exclusive, shared, or one of two or three.
  private func most(_ random: inout SeededGenerator) -> Int? {
    [nil, nil, .max, .max, 2, 3].randomElement(using: &random)!
  }

  @Test("one after the other, they have it as in a model, and a change wakes those who get it and one more")
  func model() throws {
    for seed in 0..<Self.seeds {
      var random = SeededGenerator(seed: UInt64(seed))
      var harness = LockHarness()
      var model = Model()
      for _ in 0..<Int.random(in: 3...25, using: &random) {
        harness.woken = []
        let before = harness.executed
        var granted: Int
        if model.count == 0 || Int.random(in: 0..<5, using: &random) < 3 {
          let most = most(&random)
          let number = try harness.arrive(most)
          granted = model.arrive(number, most)
        } else {
          let index = Int.random(in: 0..<harness.waiters.count, using: &random)
          granted = model.end(harness.waiters[index].number)
          harness.end(index)
        }
        try harness.settle()
        let holders = harness.waiters.filter(\.holds).map(\.number).sorted()
        try #require(holders == model.holders.map(\.number).sorted(), "seed \(seed)")
        try #require(harness.waiters.count == model.count && harness.problems.isEmpty, "seed \(seed)")
        try #require(harness.woken.count <= granted + 1, "seed \(seed): \(harness.woken)")
        try #require(harness.executed - before <= 14 * (granted + 1), "seed \(seed)")
      }
    }
  }

  @Test(
    "in any order of requests, answers and ends: no two that exclude each other, none overtaken, none forgotten"
  )
  func histories() throws {
    for seed in 0..<Self.seeds {
      var random = SeededGenerator(seed: UInt64(seed) | 1 << 32)
      var harness = LockHarness()
      let disturbs = Int.random(in: 0..<4, using: &random) == 0
      for _ in 0..<Int.random(in: 20...200, using: &random) {
        try step(&harness, disturbs, &random)
      }
      // Now each of those who are left has its turn.
      while true {
        try harness.settle()
        if harness.waiters.isEmpty { break }
        let holder = harness.holder
        try #require(holder != nil, "seed \(seed): nobody has a lock that some wait for")
        try harness.release()
      }
      try #require(harness.problems.isEmpty, "seed \(seed): \(harness.problems)")
    }
  }

  private func step(_ harness: inout LockHarness, _ disturbs: Bool, _ random: inout SeededGenerator) throws {
    let choice = Int.random(in: 0..<100, using: &random)
    if harness.waiters.isEmpty || choice < 6 && harness.waiters.count < 8 {
      try harness.arrive(most(&random), isImpatient: Int.random(in: 0..<5, using: &random) == 0)
      return
    }
    let index = Int.random(in: 0..<harness.waiters.count, using: &random)
    switch choice {
    case ..<44: _ = harness.execute(index)
    case ..<60: harness.turn()
    case ..<92: _ = try harness.deliver(index)
    case ..<97: if harness.waiters[index].holds { harness.end(index) }
    case 97: harness.end(index)
    case 98: try harness.reconnect(index)
    default:
      if disturbs {
        try harness.disturb(Bool.random(using: &random) ? index : nil)
      } else if Int.random(in: 0..<5, using: &random) == 0 {
        try harness.crash()
      }
    }
  }

  @Test("500 that queue, and have it one after the other, cost the hub as much each as 50 do")
  func work() throws {
    func cost(_ count: Int, _ most: Int?) throws -> (requests: Int, work: Double) {
      var harness = LockHarness()
      try harness.arrive(nil)
      try harness.settle()
      for _ in 0..<count { try harness.arrive(most) }
      try harness.settle()
      while !harness.waiters.isEmpty {
        try harness.release()
        try harness.settle()
      }
      #expect(harness.problems.isEmpty)
      return (harness.executed, Double(harness.work) / Double(count))
    }
    for most in [nil, 4, Int.max] {
      let (few, many) = (try cost(50, most), try cost(500, most))
      // A logarithm grows by 1.6.
      #expect(many.work < 1.6 * few.work, "\(String(describing: most)): \(few), \(many)")
      #expect(many.requests <= 10 * few.requests)
    }
  }

  @Test("those who may hold it together all have it at once, though they come at once and none would wait")
  func together() throws {
    var harness = LockHarness()
    for _ in 0..<5 { try harness.arrive(.max, isImpatient: true) }
    try harness.settle()
    let holders = harness.waiters.count { $0.holds }
    #expect(holders == 5)
    // A sixth one, that excludes them, gives up.
    try harness.arrive(nil, isImpatient: true)
    try harness.settle()
    let left = harness.waiters.count
    #expect(left == 5)
  }

  @Test("a waiter finds the one before it across any gap, and wakes for no other")
  func gaps() throws {
    var harness = LockHarness()
    try harness.arrive(nil)
    try harness.settle()
    for _ in 1..<700 { try harness.arrive(nil) }
    try harness.settle()
    let last = try #require(harness.waiters.last?.number)
    // All but the holder, the first two waiters and the last one give up, the last of them first.
    while harness.waiters.count > 4 { harness.end(harness.waiters.count - 2) }
    try harness.settle()
    for left in [3, 2] {
      harness.woken = []
      try harness.release()
      try harness.settle()
      #expect(harness.waiters.count == left)
      #expect(harness.woken.contains(last) == (left == 2))
    }
  }
}
