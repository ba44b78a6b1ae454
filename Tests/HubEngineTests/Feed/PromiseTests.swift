// The watch promises under random histories: commands, blocked connections, small rings, removals, reconnects with bookmarks.

import HubCore
import HubEngine
import TestSupport
import Testing

/// The ingredients of a random history.
struct Scenario: CustomTestStringConvertible, Sendable {
  var name: String
  var logBytes = 1 << 16
  var removals = 4096
  var every = false
  var blocks = false
  var reconnects = false
  var lifetimes = false
  var schemas = false
  /// The hub has a journal, and ends from time to time.
  var restarts = false

  var testDescription: String { name }
}

@Suite(.blocking) struct PromiseTests {
  static let scenarios = [
    Scenario(name: "latest, everybody reads"),
    Scenario(name: "every, everybody reads", every: true),
    Scenario(name: "latest, connections block", blocks: true),
    Scenario(name: "every, connections block, large ring", logBytes: 1 << 20, every: true, blocks: true),
    Scenario(name: "latest, tiny ring, blocks", logBytes: 256, blocks: true),
    Scenario(name: "every, tiny ring, blocks", logBytes: 300, every: true, blocks: true),
    Scenario(name: "every, ring below one frame", logBytes: 64, every: true, blocks: true),
    Scenario(name: "few removals remembered", removals: 2, blocks: true, reconnects: true),
    Scenario(name: "latest, reconnects", blocks: true, reconnects: true),
    Scenario(
      name: "every, reconnects, large ring", logBytes: 1 << 20, every: true, blocks: true, reconnects: true),
    Scenario(
      name: "every, reconnects, tiny ring", logBytes: 400, every: true, blocks: true, reconnects: true),
    Scenario(
      name: "every, reconnects, small ring", logBytes: 1000, every: true, blocks: true, reconnects: true),
    Scenario(name: "schemas, latest, reconnects", blocks: true, reconnects: true, schemas: true),
    Scenario(name: "schemas, every, tiny ring", logBytes: 400, every: true, blocks: true, schemas: true),
    Scenario(name: "lifetimes", logBytes: 4096, blocks: true, reconnects: true, lifetimes: true),
    Scenario(name: "restarts", reconnects: true, lifetimes: true, restarts: true),
    Scenario(name: "restarts, every", every: true, blocks: true, lifetimes: true, restarts: true),
    Scenario(
      name: "restarts, few removals, tiny ring", logBytes: 400, removals: 3, blocks: true, reconnects: true,
      lifetimes: true, schemas: true, restarts: true),
  ]

  static let seeds = testSeeds(usually: 8)

  @Test("Ordered, Unique, Atomic, Race-free, Resumable, Honest, Latest hold in", arguments: scenarios)
  func promises(_ scenario: Scenario) {
    for seed in 0..<PromiseTests.seeds {
      let problems = run(scenario, seed: UInt64(seed), steps: 300)
      #expect(
        problems.isEmpty, "\(scenario.name), seed \(seed): \(problems.prefix(3).joined(separator: "\n"))")
      if !problems.isEmpty { return }
    }
  }

  @Test("and also if the hub is replaced from its image now and then, in", arguments: scenarios)
  func promisesAcrossImages(_ scenario: Scenario) {
    for seed in 0..<PromiseTests.seeds {
      let problems = run(scenario, seed: UInt64(seed) + 1_000_000, steps: 300, handsOver: true)
      #expect(
        problems.isEmpty, "\(scenario.name), seed \(seed): \(problems.prefix(3).joined(separator: "\n"))")
      if !problems.isEmpty { return }
    }
  }

  @Test("and also if others write while a request takes its many steps, in", arguments: scenarios)
  func promisesAcrossSteps(_ scenario: Scenario) {
    for seed in 0..<PromiseTests.seeds {
      let problems = run(scenario, seed: UInt64(seed) + 2_000_000, steps: 300, interrupts: true)
      #expect(
        problems.isEmpty, "\(scenario.name), seed \(seed): \(problems.prefix(3).joined(separator: "\n"))")
      if !problems.isEmpty { return }
    }
  }

  private func run(
    _ scenario: Scenario, seed: UInt64, steps: Int, handsOver: Bool = false, interrupts: Bool = false
  ) -> [String] {
    var random = SeededGenerator(seed: seed)
    // Whether it is replaced must not change anything else.
    var other = SeededGenerator(seed: ~seed)
    var hub = EngineHarness(
      logBytes: scenario.logBytes, removals: scenario.removals, journals: scenario.restarts)
    if interrupts { hub.meanwhile = interruption(seed: seed) }
    var writer = hub.connect()
    var gone: [ClientView] = []
    for _ in 0..<3 { _ = connect(&hub, scenario, &random) }
    for _ in 0..<steps {
      if handsOver, Int.random(in: 0..<20, using: &other) == 0 {
        // Only watches of every change notice that the log starts over.
        let resizes = !scenario.every && Int.random(in: 0..<8, using: &other) == 0
        let logBytes = resizes ? Int.random(in: 64...5000, using: &other) : nil
        if Bool.random(using: &other) {
          hub.handOver(logBytes: logBytes)
        } else {
          hub.apply(logBytes: logBytes)
        }
      }
      if scenario.restarts, Int.random(in: 0..<25, using: &random) == 0 {
        if Bool.random(using: &random) { hub.compact() }
        let end = HubEnd.allCases.randomElement(using: &random)!
        gone += hub.restart(end, downtime: UInt64.random(in: 0...4_000_000, using: &random))
        writer = hub.connect()
        _ = connect(&hub, scenario, &random)
      }
      let raw = hub.clients.keys.sorted().randomElement(using: &random)!
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50:
        hub.write(
          RandomWrites.operation(&random, lifetimes: scenario.lifetimes, durabilities: scenario.restarts),
          writer)
      case 50..<58:
        let count = Int.random(in: 0...4, using: &random)
        hub.transact((0..<count).map { _ in RandomWrites.operation(&random, lifetimes: false) }, writer)
      case 58..<80: hub.turn()
      case 80..<84:
        if raw != writer { watch(&hub, raw, scenario, &random) }
      case 84..<86:
        if let request = hub.clients[raw]!.view.watches.keys.sorted().randomElement(using: &random) {
          hub.request(.unwatch(request), raw)
        }
      case 86..<91:
        if scenario.blocks, raw != writer { hub.open(raw, room: Int.random(in: 0...400, using: &random)) }
      case 91..<94: hub.open(raw, room: .max)
      case 94..<96:
        if scenario.lifetimes, raw != writer {
          hub.write(RandomWrites.ephemeral(&random), raw)
        } else if hub.clients.count < 8 {
          _ = connect(&hub, scenario, &random)
        }
      case 96..<98:
        guard scenario.reconnects, raw != writer else { break }
        gone.append(hub.disconnect(raw))
        // While the log still reaches back to where it was.
        if Bool.random(using: &random) { reconnect(&hub, gone.removeLast()) }
      default:
        hub.advance(by: UInt64.random(in: 0...3_000_000, using: &random))
        if let view = gone.popLast() { reconnect(&hub, view) }
      }
    }
    hub.settle()
    return hub.problems
  }

  /// Somebody else writes, or the turn's changes are noted in part.
  private func interruption(seed: UInt64) -> (Int32, inout EngineHarness) -> Void {
    var random = SeededGenerator(seed: seed ^ 0xABCD)
    return { asking, hub in
      if Int.random(in: 0..<3, using: &random) == 0 { hub.note() }
      guard let other = hub.clients.keys.sorted().filter({ $0 != asking }).randomElement(using: &random)
      else {
        return
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        hub.write(RandomWrites.operation(&random, lifetimes: false), other)
      }
    }
  }

  private func connect(
    _ hub: inout EngineHarness, _ scenario: Scenario, _ random: inout SeededGenerator
  ) -> Int32 {
    let raw = hub.connect()
    hub.clients[raw]!.view.expectsEvery = scenario.every && scenario.logBytes >= 1 << 16
    watch(&hub, raw, scenario, &random)
    return raw
  }

  private func watch(
    _ hub: inout EngineHarness, _ raw: Int32, _ scenario: Scenario, _ random: inout SeededGenerator
  ) {
    let patterns = (0...Int.random(in: 0...1, using: &random)).map { _ in
      try! NamePattern(RandomWrites.patterns.randomElement(using: &random)!)
    }
    hub.clients[raw]!.view.wantsSchemas = scenario.schemas
    hub.request(
      .watch(patterns, policy: scenario.every ? .every : .latest, schemas: scenario.schemas), raw)
  }

  /// A client returns with what it knew, and continues from its bookmark.
  private func reconnect(_ hub: inout EngineHarness, _ view: ClientView) {
    var fresh = view
    fresh.watches = [:]
    let wasSynced = view.isSynced
    // Without a bookmark it starts over, and in another epoch no number means what it did.
    if !wasSynced { fresh.known = [:] }
    fresh.isSynced = false
    fresh.isResuming = true
    let raw = hub.connect(fresh)
    let epoch = view.epoch ?? hub.engine.epoch
    let bookmark = wasSynced ? Bookmark(epoch: epoch, revision: view.bookmark) : nil
    for watch in view.watches.values {
      hub.request(
        .watch(
          watch.patterns, policy: watch.policy, bookmark: bookmark, schemas: view.wantsSchemas), raw)
    }
  }
}

/// Random writes on few stores, so that they collide.
enum RandomWrites {
  static let names = ["a", "a.b", "a.c", "a.b.c", "b", "b.c", "flag", "text"].map { try! StoreName($0) }
  static let patterns = ["a", "a.b", "a.*", "**", "*", "b.**", "**.c", "flag", "absent", "a.b.c", "text"]

  static func operation(
    _ random: inout SeededGenerator, lifetimes: Bool, durabilities: Bool = false
  ) -> WriteOperation {
    let name = names.randomElement(using: &random)!
    let store = StoreReference.name(name)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11:
      var lifetime = Lifetime.permanent
      if lifetimes, Int.random(in: 0..<3, using: &random) == 0 {
        lifetime.ttl = .random(in: 1...5, using: &random)
      }
      return .set(
        store, value(for: name, &random), lifetime: lifetime,
        force: Int.random(in: 0..<10, using: &random) == 0)
    case 11..<14:
      return .add(store, .integer(.random(in: -5...5, using: &random)), clamp: .random(using: &random))
    case 14: return .toggle(store)
    case 15: return .reset(store)
    case 16, 17: return .remove(store)
    case 18:
      return .create(
        name,
        Schema(
          type: value(for: name, &random).type, minimum: name.text == "a.c" ? .integer(-3) : nil,
          maximum: name.text == "a.c" ? .integer(9) : nil,
          durability: durabilities
            ? [nil, .volatile, .volatile, .synced].randomElement(using: &random)! : nil,
          description: ["", "one", "two"].randomElement(using: &random)!),
        ifAbsent: .random(using: &random))
    default:
      return .set(
        store, value(for: name, &random),
        condition: WriteCondition(
          revision: Bool.random(using: &random) ? .random(in: 0...40, using: &random) : nil,
          value: Bool.random(using: &random) ? value(for: name, &random) : nil,
          absent: Bool.random(using: &random)))
    }
  }

  static func ephemeral(_ random: inout SeededGenerator) -> WriteOperation {
    let name = names.randomElement(using: &random)!
    return .set(.name(name), value(for: name, &random), lifetime: Lifetime(ephemeral: true))
  }

  private static func value(for name: StoreName, _ random: inout SeededGenerator) -> Value {
    switch name.text {
    case "flag": .boolean(.random(using: &random))
    case "text": .string(String(repeating: "x", count: .random(in: 0...90, using: &random)))
    default: .integer(.random(in: -4...10, using: &random))
    }
  }
}
