// The checker itself: it has nothing to say about hubs that keep their promises, and finds each fault that is planted.

import DurabilityHistory
import HubCore
import TestSupport
import Testing

@Suite("The checker of histories")
struct CheckerTests {
  /// A history of one writer and one watcher over some restarts, the last but one with a fault.
  private struct Story {
    var hub = SimulatedHub()
    var checker = Checker()
    var random: SeededGenerator
    var plan: Plan
    var step = 0
    var own: [String: Cell] = [:]
    var bookmark: UInt64?
    var watched: Set<String> = []
    var isPlanted = false

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      plan = Plan(writer: 1, seed: seed)
    }

    mutating func connect(hiding hidden: Bool = false) {
      let connected = Record.connected(epoch: hub.epoch, revision: hub.revision, pid: hub.pid)
      checker.feed(writer: 1, connected)
      let mine = hub.stores.filter { $0.key.hasPrefix("w1.") }
      checker.feed(writer: 1, .observed(mine.map { Sight($0.key, $0.value.mark, $0.value.cell) }))
      own = mine.compactMapValues(\.cell)
      checker.feed(watcher: "w", connected)
      // Volatile stores have ended: the hub forgets, and shows everything.
      checker.feed(watcher: "w", .opened(pattern: "**", bookmark: bookmark))
      if hidden, let bookmark {
        checker.feed(watcher: "w", .resumed(bookmark))
      } else {
        if bookmark != nil { checker.feed(watcher: "w", .forget(epoch: hub.epoch, revision: hub.revision)) }
        for (name, stored) in hub.stores { show(name, stored) }
      }
      checker.feed(watcher: "w", .synced(hub.revision))
      bookmark = hub.revision
    }

    mutating func show(_ name: String, _ stored: SimulatedHub.Stored) {
      let cell = name == Places.counter ? Cell(.integer, token: 1) : stored.cell
      checker.feed(watcher: "w", .shown(Sight(name, stored.mark, cell)))
    }

    /// Some steps; the last few stay without answer.
    mutating func work(unanswered: Int, shown: Bool = true) {
      let count = Int.random(in: 5...30, using: &random)
      for index in 0..<count {
        step += 1
        let next = plan.step(step, on: own)
        own = next.applied(to: own, of: 1)
        checker.feed(writer: 1, .sent(next))
        let ids = next.writes.map { hub.stores[$0.name]?.mark }
        let entry = hub.apply(next)
        let marks = hub.takeMarks()
        if index < count - unanswered {
          checker.feed(writer: 1, .acknowledged(step, revision: entry.revision, marks))
        }
        guard shown else { continue }
        for (offset, result) in entry.results.enumerated() {
          if let stored = result.stored {
            show(result.name, stored)
          } else if ids[offset] != nil {
            checker.feed(watcher: "w", .removed(name: result.name, marks[offset]))
          }
        }
        checker.feed(watcher: "w", .synced(entry.revision))
        bookmark = entry.revision
      }
    }

    mutating func run(_ fault: Fault?) {
      connect()
      for round in 0..<4 {
        let isFaulty = round == 2 && fault != nil
        // Steps in flight, of which nobody knows yet whether they happened.
        let unanswered =
          switch fault {
          case .earlyShow where isFaulty: 3
          case .gap: 0
          default: Int.random(in: 0...3, using: &random)
          }
        work(unanswered: unanswered)
        if fault == .gap, isFaulty {
          work(unanswered: 0, shown: false)
          isPlanted = true
        }
        checker.feed(writer: 1, .lost)
        checker.feed(watcher: "w", .lost)
        let isDone = hub.restart(isFaulty ? fault : nil, unanswered: unanswered)
        if isFaulty, fault != .gap { isPlanted = isDone }
        connect(hiding: isFaulty && fault == .gap)
      }
      work(unanswered: 0)
      checker.feed(writer: 1, .lost)
      _ = hub.restart(nil, unanswered: 0)
      connect()
      checker.finish(counter: hub.counter)
    }
  }

  @Test("an honest history, with answers lost and volatile stores gone, has no violation")
  func honest() {
    var answered = Checker.Counts()
    for seed in 0..<60 as Range<UInt64> {
      var story = Story(seed: seed)
      story.run(nil)
      #expect(story.checker.violations.isEmpty, "seed \(seed): \(story.checker.violations.prefix(3))")
      answered.happenedUnanswered += story.checker.counts.happenedUnanswered
      answered.checkedViews += story.checker.counts.checkedViews
    }
    #expect(answered.happenedUnanswered > 50 && answered.checkedViews > 500)
  }

  @Test("a planted fault is found, and called by its name", arguments: Fault.allCases)
  func planted(_ fault: Fault) {
    let expected: Set<Violation.Kind> =
      switch fault {
      case .droppedRecord: [.lostWrite, .impossibleState, .gap]
      case .earlyAcknowledgement: [.lostWrite, .impossibleState, .undone]
      case .earlyShow: [.undone]
      case .reusedRevision: [.reusedRevision, .regress]
      case .halfTransaction: [.lostWrite, .impossibleState]
      case .revisionsGoBack: [.regress]
      case .newEpoch: [.newEpoch]
      case .survivingVolatile: [.survivingVolatile]
      case .gap: [.gap]
      case .damagedValue: [.damagedValue]
      case .doubledRecord: [.miscount]
      }
    var planted = 0
    for seed in 0..<50 as Range<UInt64> {
      var story = Story(seed: seed)
      story.run(fault)
      guard story.isPlanted else { continue }
      planted += 1
      let kinds = Set(story.checker.violations.map(\.kind))
      #expect(!kinds.isDisjoint(with: expected), "seed \(seed): \(kinds)")
    }
    #expect(planted > 4, "\(fault) was hardly ever planted")
  }

  @Test("records and values are read back as they were written")
  func text() {
    var plan = Plan(writer: 2, seed: 5)
    var own: [String: Cell] = [:]
    for number in 1...500 {
      let step = plan.step(number, on: own)
      own = step.applied(to: own, of: 2)
      let mark = Mark(id: UInt64(number) << 24, revision: 7, version: .max)
      let records: [Record] = [
        .sent(step), .acknowledged(number, revision: 9, [mark]), .connected(epoch: "ab", revision: 3, pid: 4),
        .lost,
        .observed(own.map { Sight($0.key, mark, $0.value) }), .opened(pattern: "**", bookmark: nil),
        .resumed(4),
        .shown(Sight("", mark, nil)), .removed(name: "a.b", mark), .synced(1),
        .forget(epoch: "cd", revision: 0),
        .refused(3, reason: "a: is wrong"),
      ]
      for record in records { #expect(Record(line: record.line) == record) }
    }
    for cell in own.values { #expect(Cell(cell.value) == cell) }
    #expect(Cell(.string("12/abcdefg")) == nil && Cell(.integer(3)) == Cell(.integer, token: 3))
    #expect(Record(line: "sent x") == nil && Record(line: "") == nil)
  }
}
