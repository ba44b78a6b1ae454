// Random histories of two hubs, one of which is repeatedly replaced from its image: no byte may reveal which.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite(.blocking) struct ImageHistoryTests {
  /// The ingredients of a history.
  struct Kind: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var logBytes = 1 << 16
    var removals = 64
    var journals = false
    var fails = false
  }

  static let kinds = [
    Kind(testDescription: "nothing is kept"),
    Kind(testDescription: "tiny ring, few removals", logBytes: 500, removals: 2),
    Kind(testDescription: "with a journal", journals: true),
    Kind(
      testDescription: "with a journal, tiny ring, few removals", logBytes: 500, removals: 2, journals: true),
    Kind(
      testDescription: "with a journal that fails", logBytes: 4096, removals: 5, journals: true, fails: true),
  ]

  /// Of each kind.
  static let seeds = testSeeds(usually: 30)

  @Test("a hub that was replaced from its image behaves exactly like one that was not", arguments: kinds)
  func histories(kind: Kind) {
    for seed in 0..<ImageHistoryTests.seeds {
      var history = ImageHistory(kind, seed: UInt64(seed))
      if let problem = history.run(steps: 35) {
        Issue.record("\(kind.testDescription), seed \(seed): \(problem)")
        return
      }
    }
  }
}

/// One history of both hubs.
struct ImageHistory: ~Copyable {
  private let kind: ImageHistoryTests.Kind
  private var random: SeededGenerator
  private var now = Instant(wall: 1_700_000_000_000_000_000, boot: 1_000_000_000)
  private var steady: Twin
  private var replaced: Twin
  private var connections: [Int32] = []
  /// Open watches, with their connections.
  private var watches: [(connection: Int32, request: UInt32)] = []
  private var requests: [Int32: UInt32] = [:]
  private var journalProblem: String?

  init(_ kind: ImageHistoryTests.Kind, seed: UInt64) {
    self.kind = kind
    random = SeededGenerator(seed: seed)
    var options = HubEngine.Options()
    options.changeLogBytes = kind.logBytes
    options.rememberedRemovals = kind.removals
    options.journals = kind.journals
    steady = Twin(options, now: now)
    replaced = Twin(options, now: now)
  }

  /// - Returns: how the two differ.
  mutating func run(steps: Int) -> String? {
    for _ in 0..<3 { connect() }
    for step in 0..<steps {
      do throws(HubError) { try act() } catch { return "step \(step): the journal cannot be read: \(error)" }
      if let journalProblem { return "step \(step): \(journalProblem)" }
      if Int.random(in: 0..<4, using: &random) == 0 {
        turn()
        if let problem = replaced.handOver(renumber: Bool.random(using: &random)) {
          return "step \(step): \(problem)"
        }
      }
      if let problem = difference() { return "step \(step): \(problem)" }
    }
    for connection in connections { both { $0.open(connection, room: .max) } }
    turn()
    turn()
    return difference() ?? journalDifference()
  }

  private mutating func both(_ action: (inout Twin) -> Void) {
    action(&steady)
    action(&replaced)
  }

  private mutating func difference() -> String? {
    let (left, right) = (steady.takeRead(), replaced.takeRead())
    for (connection, bytes) in left where bytes != right[connection] {
      let (one, other) = (frames(bytes), frames(right[connection] ?? []))
      let same = zip(one, other).prefix { $0 == $1 }.count
      return """
        connection \(connection) read \(same) equal frames, then
        \(one.dropFirst(same).prefix(4)), and of the hub that was replaced
        \(other.dropFirst(same).prefix(4))
        """
    }
    return nil
  }

  /// What was written, compared when it matters: before it is read, and at the end.
  private func journalDifference() -> String? {
    steady.journal.frames == replaced.journal.frames ? nil : "the journals differ"
  }

  /// What was read, for people. A cut frame is left out.
  private func frames(_ bytes: [UInt8]) -> [String] {
    bytes.withByteView { bytes in
      var frames: [String] = []
      var cursor = FrameCursor(bytes)
      while let frame = cursor.next() {
        if let event = try? HubEvent(decoding: frame) {
          frames.append("\(event)")
        } else {
          frames.append((try? Reply(decoding: frame)).map { "\($0)" } ?? "\(frame.bytes.array)")
        }
      }
      return frames
    }
  }

  private mutating func turn() {
    let now = now
    both { $0.turn(now: now) }
  }

  private mutating func connect() {
    let connection = (connections.max() ?? 2) + 1
    connections.append(connection)
    requests[connection] = 1
    let now = now
    both { $0.connect(connection, now: now) }
    watch(connection)
  }

  private mutating func ask(_ connection: Int32, _ request: Request) {
    requests[connection]! += 1
    let now = now
    both { $0.ask(connection, request, now: now) }
  }

  private mutating func watch(_ connection: Int32) {
    let patterns = (0...Int.random(in: 0...2, using: &random)).map { _ in
      try! NamePattern(RandomWrites.patterns.randomElement(using: &random)!)
    }
    var bookmark: Bookmark?
    if Int.random(in: 0..<3, using: &random) == 0 {
      bookmark = Bookmark(
        epoch: steady.epoch, revision: steady.revision &- UInt64.random(in: 0...12, using: &random))
    }
    watches.append((connection, requests[connection]! + 1))
    ask(
      connection,
      .watch(
        patterns, policy: Bool.random(using: &random) ? .every : .latest, bookmark: bookmark,
        schemas: Int.random(in: 0..<4, using: &random) == 0))
  }

  // MARK: One step

  private mutating func act() throws(HubError) {
    now.boot += 1
    now.wall += 1
    let connection = connections.randomElement(using: &random)!
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45:
      ask(connection, .write(RandomWrites.operation(&random, lifetimes: true, durabilities: kind.journals)))
    case 45..<50: ask(connection, .write(RandomWrites.ephemeral(&random)))
    case 50..<58:
      let count = Int.random(in: 0...4, using: &random)
      ask(
        connection,
        .transaction(
          (0..<count).map { _ in RandomWrites.operation(&random, lifetimes: true, durabilities: kind.journals)
          }))
    case 58..<70: turn()
    case 70..<76: watch(connection)
    case 76..<78:
      if let watch = watches.indices.randomElement(using: &random) {
        let (owner, request) = watches.remove(at: watch)
        if connections.contains(owner) { ask(owner, .unwatch(request)) }
      }
    case 78..<84:
      let room = Int.random(in: 0...500, using: &random)
      both { $0.open(connection, room: room) }
    case 84..<88: both { $0.open(connection, room: .max) }
    case 88..<90: both { $0.hold(connection) }
    case 90..<93:
      if connections.count > 1, let index = connections.indices.randomElement(using: &random) {
        let gone = connections.remove(at: index)
        let now = now
        both { $0.disconnect(gone, now: now) }
      } else {
        connect()
      }
    case 93..<95: connect()
    case 95: declare()
    case 96..<98:
      let span = UInt64.random(in: 0...4_000_000, using: &random)
      now.boot += span
      now.wall += Int64(span)
    default: try journal()
    }
  }

  private mutating func declare() {
    let names = RandomWrites.names.prefix(Int.random(in: 0...3, using: &random))
    let declarations = names.map {
      ($0, Schema(type: .integer, durability: Bool.random(using: &random) ? .volatile : nil))
    }
    let now = now
    both { $0.declare(declarations, now: now) }
  }

  private mutating func journal() throws(HubError) {
    guard kind.journals else { return }
    let now = now
    if !steady.isJournalOpen { return both { $0.mendJournal(now: now) } }
    turn()
    if kind.fails, Bool.random(using: &random) { return both { $0.failJournal(now: now) } }
    if Bool.random(using: &random) { return both { $0.compact(now: now) } }
    journalProblem = journalDifference()
    let end = HubEnd.allCases.randomElement(using: &random)!
    let span = UInt64.random(in: 0...3_000_000, using: &random)
    self.now.wall += Int64(span)
    self.now.boot = end == .powerLoss ? 5_000_000 : self.now.boot + span
    try steady.restart(end, now: now, then: self.now)
    try replaced.restart(end, now: now, then: self.now)
    (connections, watches, requests) = ([], [], [:])
    for _ in 0..<2 { connect() }
  }
}
