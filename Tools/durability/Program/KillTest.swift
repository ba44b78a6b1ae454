// The kill test: a hub with a state directory is ended again and again, at random moments, under writers and watchers that are
// processes of their own; what they wrote down goes to the checker after every round.

import DurabilityHistory
import Glibc
import HubClient
import HubCore
import HubTransport
import TestSupport

struct KillTest {
  private let rounds: Int
  private let seed: UInt64
  private let directory: TemporaryDirectory
  private var random: SeededGenerator
  private var checker = Checker()
  private var fates: [String: Int] = [:]
  private let socket: String
  private let stop: String

  private static let writers = 3
  /// Pattern, and whether every change is asked for.
  private static let watchers: [(String, Bool)] = [
    ("**", false), ("**", true), ("w1.**", true), ("*.pair.*", false),
  ]

  init(rounds: Int, seed: UInt64) throws {
    self.rounds = rounds
    self.seed = seed
    directory = try TemporaryDirectory()
    random = SeededGenerator(seed: seed)
    socket = directory.file("hub.sock")
    stop = directory.file("stop")
  }

  /// How a hub ends.
  private enum Fate: String, CaseIterable {
    case killedAtWork, killedAtStart, stopped, killedWhileStopping
  }

  private mutating func fate() -> Fate {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<70: .killedAtWork
    case 70..<84: .killedAtStart
    case 84..<92: .stopped
    default: .killedWhileStopping
    }
  }

  /// - Returns: whether every promise was kept.
  /// - Throws: `TestFailure` if a hub or a worker did not do its part; what they left is kept.
  mutating func run() throws -> Bool {
    do {
      return try play()
    } catch {
      throw TestFailure("\(error); see \(directory.keep())")
    }
  }

  private mutating func play() throws -> Bool {
    let start = Deadline.now
    try directory.write(KillTest.configuration, to: "hub.json5")
    try withHub { hub in
      let counter = Schema(type: .integer, initial: .integer(0))
      guard case .written = try hub.connect().call(.write(.create(try StoreName(Places.counter), counter)))
      else {
        throw TestFailure("the counter was refused")
      }
    }
    let workers = try startWorkers()
    var tails = Tails(directory, workers.count)
    for round in 1...rounds {
      let fate = fate()
      fates[fate.rawValue, default: 0] += 1
      try live(until: fate)
      tails.feed(&checker)
      if !checker.violations.isEmpty { return report("round \(round)", since: start) }
      if round % 50 == 0 { say("  round \(round): \(summary(since: start))") }
    }
    let counter = try finish(workers)
    tails.feed(&checker)
    checker.finish(counter: counter)
    return report("the end", since: start)
  }

  /// A journal so short that a snapshot replaces it many times in a round.
  private static let configuration = """
    { snapshotThresholdBytes: 65536, changeLogBytes: 65536, maxStores: 1000 }

    """

  private func startHub(waits: Bool = true) throws -> HubProcess {
    try HubProcess(
      in: directory, socket: socket,
      arguments: ["--config", directory.file("hub.json5"), "--state-dir", directory.file("state")],
      waits: waits)
  }

  private func withHub<R>(_ body: (HubProcess) throws -> R) throws -> R {
    let hub = try startHub()
    let result = try body(hub)
    guard try hub.terminate() == .status(0) else {
      throw TestFailure("the hub ended badly: \(hub.standardError)")
    }
    return result
  }

  private mutating func live(until fate: Fate) throws {
    let hub = try startHub(waits: fate != .killedAtStart)
    switch fate {
    case .killedAtWork:
      pause(milliseconds: 20...200)
      hub.kill()
    case .killedAtStart:
      pause(milliseconds: 0...40)
      hub.kill()
    case .stopped:
      pause(milliseconds: 20...100)
      guard try hub.terminate() == .status(0) else {
        throw TestFailure("the hub ended badly: \(hub.standardError)")
      }
    case .killedWhileStopping:
      pause(milliseconds: 20...100)
      hub.process.signal(SIGTERM)
      pause(milliseconds: 0...20)
      hub.kill()
    }
    // A crash of its own is no kill.
    if let exit = hub.process.poll(milliseconds: 0), exit != .signal(SIGKILL), exit != .status(0) {
      throw TestFailure("the hub ended with \(exit): \(hub.standardError)")
    }
  }

  /// The random moment: the only thing that this test waits for by time.
  private mutating func pause(milliseconds: ClosedRange<UInt32>) {
    usleep(.random(in: milliseconds.lowerBound * 1000...milliseconds.upperBound * 1000, using: &random))
  }

  // MARK: Workers

  private func startWorkers() throws -> [ChildProcess] {
    var workers: [ChildProcess] = []
    let program = ChildProcess.built("durability")
    for number in 1...KillTest.writers {
      workers.append(
        try ChildProcess(
          program, ["writer", "\(number)", "\(seed)", socket, directory.file("writer-\(number)"), stop],
          directory: directory))
    }
    for (index, (pattern, every)) in KillTest.watchers.enumerated() {
      workers.append(
        try ChildProcess(
          program,
          [
            "watcher", "\(index)", pattern, every ? "every" : "latest", "\(seed &+ UInt64(index))", socket,
            directory.file("watcher-\(index)"), stop,
          ], directory: directory))
    }
    return workers
  }

  private struct Tails: ~Copyable {
    private let writers: [Box]
    private let watchers: [Box]

    private final class Box {
      var tail: HistoryTail
      init(_ path: String) { tail = HistoryTail(path) }
    }

    init(_ directory: TemporaryDirectory, _ count: Int) {
      writers = (1...KillTest.writers).map { Box(directory.file("writer-\($0)")) }
      watchers = KillTest.watchers.indices.map { Box(directory.file("watcher-\($0)")) }
    }

    /// Read last and fed first: the writers, whose records come before what they lead to.
    mutating func feed(_ checker: inout Checker) {
      let seen = watchers.map { $0.tail.newLines() }
      for (index, writer) in writers.enumerated() {
        for line in writer.tail.newLines() {
          if let record = Record(line: line) {
            checker.feed(writer: index + 1, record)
          } else {
            checker.feed(nonsense: line, from: "writer \(index + 1)")
          }
        }
      }
      for (index, lines) in seen.enumerated() {
        for line in lines {
          if let record = Record(line: line) {
            checker.feed(watcher: "\(index)", record)
          } else {
            checker.feed(nonsense: line, from: "watcher \(index)")
          }
        }
      }
    }
  }

  /// Lets everybody come to an end, and reads the counter, which has to be the same behind one more restart.
  private func finish(_ workers: [ChildProcess]) throws -> Int64 {
    let before = try withHub { hub in
      try directory.write("", to: "stop")
      for worker in workers {
        guard try worker.wait(atMost: 120) == .status(0) else {
          throw TestFailure("a worker ended badly: \(worker.standardOutput)\(worker.standardError)")
        }
      }
      return try counter(of: hub)
    }
    let after = try withHub { try counter(of: $0) }
    if before != after { throw TestFailure("the counter was \(before), and is \(after) behind a restart") }
    return after
  }

  private func counter(of hub: HubProcess) throws -> Int64 {
    guard case .value(let state) = try hub.connect().call(.get(.name(try StoreName(Places.counter)))),
      case .integer(let counter) = state.value
    else { throw TestFailure("the counter has gone") }
    return counter
  }

  // MARK: Reporting

  private func summary(since start: Deadline) -> String {
    let counts = checker.counts
    return """
      \((Deadline.now.nanoseconds - start.nanoseconds) / 1_000_000_000) s, \(counts.sent) steps sent, \
      \(counts.acknowledged) acknowledged, \(counts.happenedUnanswered) happened without an answer, \
      \(counts.voided) never happened, \(counts.connections) connections, \(counts.events) events, \
      \(counts.resumes) resumes, \(counts.checkedViews) views checked
      """
  }

  /// The highest number of a file: each segment has one of its own.
  private func lastSegment() -> UInt64 {
    directory.names(in: "state").reduce(0) { last, name in
      max(last, name.split(separator: "-").last.flatMap { UInt64($0, radix: 16) } ?? 0)
    }
  }

  private func report(_ when: String, since start: Deadline) -> Bool {
    let ends = fates.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    say("kill test, seed \(seed), \(when): \(summary(since: start))")
    say("  hubs: \(ends); journal segments begun: \(lastSegment())")
    for violation in checker.violations.prefix(20) { say("  BROKEN \(violation)") }
    if !checker.violations.isEmpty {
      say("  \(checker.violations.count) broken promises; see \(directory.keep())")
    }
    return checker.violations.isEmpty
  }
}
