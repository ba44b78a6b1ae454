// Random histories beside watches with filters: what they deliver is what a naive filter over the full history delivers.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Filters beside a model") struct FilterModelTests {
  @Test("what a filter delivers is what a naive filter over the full history delivers")
  func histories() throws {
    for seed in 0..<UInt64(testSeeds(usually: 400)) {
      var run = FilterRun(seed: seed)
      try run.play(steps: 60)
    }
  }
}

/// A hub, an unfiltered watch that records its history, and some with filters.
private struct FilterRun: ~Copyable {
  private struct Follower {
    var session: SessionID
    let filter: WatchFilter
    let pattern: NamePattern
    var view = WatchView()
    var model: NaiveFilter
    /// Its connection takes nothing before it is resumed; what changed meanwhile comes then.
    var isPaused = false
  }

  private let seed: UInt64
  private var random: SeededGenerator
  private var hub = EngineFixture { $0.changeLogBytes = 1 << 20 }
  private var history: [HistoryEntry] = []
  /// Every write, also of an equal value.
  private var writes: [WriteEntry] = []
  private var initial: [UInt64: Value] = [:]
  private var names: [UInt64: String] = [:]
  private var followers: [Follower] = []
  private var nextSession: Int32 = 10
  private let writer = SessionID(raw: 1)
  private let recorder = SessionID(raw: 2)

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    _ = (hub.connect(1), hub.connect(2))
    _ = hub.ask(recorder, .watch([.everything], policy: .every))
  }

  private mutating func below(_ limit: Int) -> Int { .random(in: 0..<limit, using: &random) }
  private mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

  mutating func play(steps: Int) throws {
    try turn(noting: "the beginning")
    for step in 0..<steps {
      switch below(12) {
      case 0 where followers.count < 4: try open()
      case 1 where !followers.isEmpty: try reconnect(below(followers.count))
      case 2 where !followers.isEmpty: try pause(below(followers.count))
      case 3:
        let image = EngineImage.bytes(of: hub.engine)
        hub.engine = try EngineImage.engine(from: image, options: hub.engine.options)
        #expect(EngineImage.bytes(of: hub.engine) == image)
      case 4, 5, 6: try pass(below(80))
      default:
        for _ in 0...below(3) { write() }
        try turn(noting: "step \(step)")
      }
    }
    for index in followers.indices where followers[index].isPaused { try pause(index) }
    try pass(2000)
  }

  // MARK: Steps

  private mutating func write() {
    let name = try! StoreName(["a.x", "a.y", "b.x", "b.y"][below(4)])
    let store = StoreReference.name(name)
    let value: Value =
      switch below(8) {
      case 0: .string("text \(below(3))")
      case 1, 2: .double(Double(below(20)) / 4)
      default: .integer(Int64(below(20)))
      }
    let operation: WriteOperation =
      switch below(14) {
      case 0: .remove(store)
      case 1: .reset(store)
      case 2:
        .create(
          name, Schema(type: .integer, initial: .integer(Int64(below(5)))))
      case 3, 4: .add(store, .integer(Int64(below(3))))
      case 5: .set(store, value, lifetime: Lifetime(ttl: UInt64(1 + below(60))))
      case 6: .set(store, value, force: true)
      default: .set(store, value)
      }
    let isGrouped = chance(5)
    let reply =
      isGrouped
      ? hub.ask(writer, .transaction([operation, .add("a.x", .integer(Int64(below(2))))]))
      : hub.write(writer, operation)
    var isCreation = false
    if case .create = operation { isCreation = true }
    noteEqual(reply, isCreation: isCreation)
  }

  /// A write of an equal value is in no history.
  private mutating func noteEqual(_ reply: Reply, isCreation: Bool) {
    let results: [WriteResult]
    switch reply {
    case .written(let result): results = [result]
    case .committed(_, let all): results = all
    default: results = []
    }
    for result in isCreation ? results.dropFirst() : results[...] where !result.changed {
      writes.append(WriteEntry(store: result.id.raw, time: hub.now.boot))
    }
  }

  private mutating func open() throws {
    let condition = chance(2) ? condition() : nil
    let deadband: Deadband? = [nil, 2, 0.5, .percent(25), .percent(100)][chance(2) ? 0 : below(5)]
    let deadline: Duration? = chance(2) ? nil : .milliseconds([1, 20, 60, 300][below(4)])
    let needsInterval = deadband == nil && condition == nil && deadline == nil
    let interval: Duration? = needsInterval || chance(3) ? .milliseconds([1, 10, 50, 200][below(4)]) : nil
    var filter = try WatchFilter(atMost: interval, by: deadband, when: condition, deadline: deadline)
    var pattern = try NamePattern(["**", "a.*", "a.x", "*.x"][below(4)])
    if chance(2), let other = followers.last { (filter, pattern) = (other.filter, other.pattern) }
    var follower = Follower(
      session: hub.connect(nextSession), filter: filter, pattern: pattern, model: NaiveFilter(filter, pattern)
    )
    nextSession += 1
    _ = follower.view.open(epoch: hub.engine.epoch)
    _ = hub.ask(follower.session, .watch([pattern], filter: filter))
    let events = collect()
    let expected = follower.model.begin(history, writes, now: hub.now.boot)
    followers.append(follower)
    try check(events, opened: (followers.count - 1, expected), "a watch begins")
  }

  private mutating func condition() -> WatchCondition {
    let operand: Value = [.integer(Int64(below(20))), .double(2.5), .string("text 1")][below(3)]
    switch below(5) {
    case 0: return chance(2) ? .present : .absent
    case 1: return WatchCondition(.equal, [operand, .integer(Int64(below(20))), .string("text 0")])
    case 2: return WatchCondition(.notEqual, [operand])
    default:
      return WatchCondition([.less, .lessOrEqual, .greater, .greaterOrEqual][below(4)], [operand])
    }
  }

  private mutating func reconnect(_ index: Int) throws {
    // A connection that has not shown a whole state yet begins again, which other tests cover.
    guard let bookmark = followers[index].view.bookmark else { return }
    hub.close(followers[index].session)
    followers[index].session = hub.connect(nextSession)
    nextSession += 1
    followers[index].isPaused = false
    // Meanwhile others write.
    for _ in 0..<below(3) { write() }
    try turn(noting: "a client is away", except: index)
    _ = followers[index].view.open(epoch: hub.engine.epoch)
    _ = hub.ask(
      followers[index].session,
      .watch([followers[index].pattern], bookmark: bookmark, filter: followers[index].filter))
    let events = collect()
    let expected = followers[index].model.resume(
      history, writes, from: bookmark.revision, now: hub.now.boot)
    try check(events, opened: (index, expected), "a watch resumes")
  }

  private mutating func pause(_ index: Int) throws {
    followers[index].isPaused.toggle()
    if followers[index].isPaused {
      hub.engine.pauseDelivery(to: followers[index].session)
    } else {
      hub.engine.resumeDelivery(to: followers[index].session)
      try turn(noting: "a connection takes events again")
    }
  }

  /// Time passes, as the server lets it: every deadline has its turn.
  private mutating func pass(_ milliseconds: Int) throws {
    let end = hub.now.boot + UInt64(milliseconds) * 1_000_000
    while let next = hub.engine.nextDeadline, next <= end {
      hub.now.boot = max(hub.now.boot, next)
      hub.expire()
      try turn(noting: "an interval or a lifetime ends")
    }
    hub.now.boot = end
  }

  // MARK: Turns

  private mutating func turn(noting what: String, except: Int? = nil) throws {
    try check(collect(), except: except, what)
  }

  /// Ends the turn and notes what happened in it.
  private mutating func collect() -> [Int32: [HubEvent]] {
    hub.expire()
    let events = hub.turn()
    for event in events[recorder.raw] ?? [] {
      switch event {
      case .created(let name, let schema, let state, _, _, _):
        names[state.id.raw] = name
        initial[state.id.raw] = schema.initial
        note(state, isCreation: true)
      case .current(let name, let state):
        names[state.id.raw] = name
        note(state)
      case .change(let state, _, _): note(state)
      case .removed(let name, let removal, _, _):
        history.append(
          HistoryEntry(
            revision: removal.revision, store: removal.id.raw, name: name, version: removal.version,
            value: nil,
            isInitial: false))
      default: break
      }
    }
    return events
  }

  private mutating func note(_ state: StoreState, isCreation: Bool = false) {
    writes.append(WriteEntry(store: state.id.raw, time: hub.now.boot))
    history.append(
      HistoryEntry(
        revision: state.revision, store: state.id.raw, name: names[state.id.raw] ?? "?",
        version: state.version,
        value: state.value, isInitial: initial[state.id.raw] == state.value,
        isCreation: isCreation))
  }

  private mutating func check(
    _ events: [Int32: [HubEvent]], opened: (index: Int, expected: [DeliveredEvent])? = nil,
    except: Int? = nil, _ what: String
  ) throws {
    for index in followers.indices where index != except {
      let frames = events[followers[index].session.raw] ?? []
      var expected = opened?.index == index ? opened!.expected : []
      if opened?.index != index, !followers[index].isPaused {
        expected = followers[index].model.turn(history, writes, now: hub.now.boot)
      }
      let shown = frames.compactMap { followers[index].view.apply($0) }
      let delivered = shown.filter { $0.kind.isAboutStore }.map {
        DeliveredEvent(
          name: $0.name, version: $0.version, skipped: $0.skipped, value: $0.value,
          isOverdue: $0.isOverdue)
      }
      // Several stores can have had the same name.
      guard delivered.sorted() == expected.sorted() else {
        throw TestFailure(
          "seed \(seed), \(what), \(followers[index].filter) of \(followers[index].pattern.text): delivered "
            + "\(delivered), not \(expected)")
      }
      if let last = frames.last, case .synced(let revision) = last {
        #expect(revision == hub.engine.revision)
      } else if !frames.isEmpty {
        throw TestFailure("seed \(seed), \(what): the batch does not end with synced: \(frames)")
      }
    }
    let broken = hub.engine.brokenInvariants()
    if !broken.isEmpty { throw TestFailure("seed \(seed), \(what): \(broken)") }
  }
}
