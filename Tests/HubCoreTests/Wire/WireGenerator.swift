// Random messages: every kind, every optional field, numbers at their limits, difficult texts.

import HubCore
import TestSupport

struct WireGenerator {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func message() -> Message {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .request(request(), id: integer())
    case 1: .reply(reply(), id: integer())
    default: .event(event())
    }
  }

  // MARK: Parts

  mutating func chance() -> Bool { .random(using: &random) }

  mutating func count(_ limit: Int) -> Int { .random(in: 0...limit, using: &random) }

  /// Often a limit, otherwise anything.
  mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T {
    switch count(9) {
    case 0: 0
    case 1: .max
    case 2: .min
    case 3: 1
    case 4, 5: T(truncatingIfNeeded: count(300))
    default: .random(in: .min ... .max, using: &random)
    }
  }

  mutating func optional<T>(_ make: (inout WireGenerator) -> T) -> T? { chance() ? make(&self) : nil }

  mutating func text(upTo bytes: Int) -> String {
    let limit = chance() ? count(min(bytes, 12)) : count(bytes)
    var text = ""
    let pieces = ["a", "Z", "0", " ", "\0", "\n", "\"", "é", "e\u{301}", "€", "😀", "\u{FFFD}", "\u{10FFFF}"]
    while true {
      let piece = pieces.randomElement(using: &random)!
      if text.utf8.count + piece.utf8.count > limit { return text }
      text += piece
    }
  }

  mutating func name() -> StoreName {
    if count(30) == 0 { return try! StoreName(String(repeating: "n", count: 255)) }
    let components = ["a", "b", "audio", "volume", "x-1", "_", "0"]
    let text = (0...count(3)).map { _ in components.randomElement(using: &random)! }.joined(separator: ".")
    return try! StoreName(text)
  }

  mutating func pattern() -> NamePattern {
    let components = ["*", "**", "a", "audio", "volume"]
    let text = (0...count(4)).map { _ in components.randomElement(using: &random)! }.joined(separator: ".")
    return try! NamePattern(text)
  }

  mutating func double() -> Double {
    let edges: [Double] = [
      0, -0.0, 1, -1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi,
    ]
    if chance() { return edges.randomElement(using: &random)! }
    let any = Double(bitPattern: integer())
    return any.isFinite ? any : 0
  }

  mutating func value() -> Value { value(of: ValueType.allCases.randomElement(using: &random)!) }

  mutating func value(of type: ValueType) -> Value {
    switch type {
    case .integer: .integer(integer())
    case .double: .double(double())
    case .boolean: .boolean(chance())
    case .string: .string(text(upTo: 400))
    case .data: .data((0..<count(400)).map { _ in integer() })
    case .json:
      .json(
        ["null", "[1, 2]", "{\"a\": \"é\"}", "-1.5e3", " true ", "\"\\u0000\""].randomElement(using: &random)!
      )
    }
  }

  mutating func schema() -> Schema {
    let type = ValueType.allCases.randomElement(using: &random)!
    var schema = Schema(type: type)
    // Mostly compatible fields, so that many schemas are valid.
    if type.isNumber || count(9) == 0 {
      schema.minimum = optional { .integer(Int64(-$0.count(20))) }
      schema.maximum = optional { .integer(Int64($0.count(20))) }
    }
    if type == .string || count(9) == 0 { schema.maxBytes = optional { UInt32($0.count(500)) } }
    if count(2) == 0 { schema.choices = (0..<count(4)).map { _ in small(type) } }
    if count(2) == 0 { schema.initial = schema.choices.first ?? small(type) }
    schema.durability = optional { Durability.allCases.randomElement(using: &$0.random)! }
    if count(3) == 0 { schema.description = text(upTo: 300) }
    return schema
  }

  private mutating func small(_ type: ValueType) -> Value {
    type.isNumber ? .integer(Int64(count(24)) - 12) : value(of: type)
  }

  mutating func reference() -> StoreReference { chance() ? .name(name()) : .id(StoreID(raw: integer())) }

  mutating func epoch() -> Epoch { Epoch(high: integer(), low: integer()) }

  mutating func state() -> StoreState {
    StoreState(
      id: StoreID(raw: integer()), revision: integer(), version: integer(), time: integer(), uid: integer(),
      value: value())
  }

  private mutating func marked(_ state: StoreState) -> StoreState {
    var state = state
    state.silence = [nil, .begun, .ended][count(2)]
    return state
  }

  // MARK: Requests

  mutating func request() -> Request {
    switch count(18) {
    case 0:
      .hello(
        minimumVersion: integer(), maximumVersion: integer(), capabilities: integer(), name: text(upTo: 255))
    case 1: .ping
    case 2: .get(reference())
    case 3: .write(operation())
    case 4: .transaction((0..<count(5)).map { _ in operation() })
    case 5: .list(pattern(), after: text(upTo: 255), limit: integer())
    case 6: .describe(reference())
    case 7:
      .watch(
        (0...count(4)).map { _ in pattern() }, policy: chance() ? .every : .latest,
        bookmark: optional { Bookmark(epoch: $0.epoch(), revision: $0.integer()) }, schemas: chance(),
        filter: optional { $0.filter() })
    case 8: .unwatch(integer())
    case 9: .clients(after: integer(), limit: integer())
    case 10: .reload
    case 11:
      .access(
        name(),
        as: optional { random in
          AccessQuestion(
            uid: random.integer(), groups: (0..<random.count(9)).map { _ in random.integer() },
            socket: random.text(upTo: 60), origin: random.origin())
        })
    case 12:
      .log(pattern(), from: LogPlace(revision: integer(), skip: integer()), limit: integer())
    case 13:
      .monitor(
        MonitorFilter(
          pattern: optional { $0.pattern() }, uid: optional { UInt32($0.count(70_000)) },
          kinds: (0..<count(5)).map { _ in integer() }))
    case 14:
      .provide(
        ClaimOffer(
          name(), (0..<count(4)).map { _ in pattern() }, timeout: integer(), window: integer(),
          description: text(upTo: 300), waits: chance(), replaces: chance(), takesLifetimes: chance(),
          answersReads: chance()))
    case 15: .standing(name(), standing())
    case 16: .decide(integer(), decision())
    case 17: .restrict(chance() ? .reading : .nothing)
    default: .stats
    }
  }

  mutating func operation() -> WriteOperation {
    switch count(7) {
    case 0: .add(reference(), value(), clamp: chance())
    case 1: .toggle(reference())
    case 2: .reset(reference())
    case 3:
      .remove(
        reference(),
        condition: WriteCondition(revision: optional { $0.integer() }, epoch: optional { $0.epoch() }))
    case 4: .create(name(), schema(), ifAbsent: chance())
    default:
      .set(
        reference(), value(),
        condition: WriteCondition(
          revision: optional { $0.integer() }, epoch: optional { $0.epoch() }, value: optional { $0.value() },
          absent: chance()),
        lifetime: Lifetime(ttl: optional { $0.integer() }, ephemeral: chance()), force: chance())
    }
  }

  private mutating func filter() -> WatchFilter {
    let amount = Double(1 + count(1000)) / 8
    let deadband: Deadband? = optional { $0.chance() ? .absolute(amount) : .percent(amount) }
    let condition: WatchCondition? = optional { $0.condition() }
    let deadline: Duration? = optional { .milliseconds(1 + $0.count(86_399_999)) }
    let needsInterval = deadband == nil && condition == nil && deadline == nil
    let interval = needsInterval || chance() ? Duration.milliseconds(1 + count(86_399_999)) : nil
    return try! WatchFilter(atMost: interval, by: deadband, when: condition, deadline: deadline)
  }

  private mutating func condition() -> WatchCondition {
    let comparison = WatchCondition.Comparison(rawValue: UInt8(1 + count(7)))!
    switch comparison {
    case .equal, .notEqual:
      return WatchCondition(
        comparison, (0...count(4)).map { _ in chance() ? .boolean(chance()) : .integer(integer()) })
    case .present, .absent: return WatchCondition(comparison)
    default: return WatchCondition(comparison, [chance() ? .string(text(upTo: 60)) : .integer(integer())])
    }
  }

  private mutating func standing() -> ClaimStanding {
    switch count(5) {
    case 0: .live
    case 1: .syncing
    case 2: .suspended(text(upTo: 300))
    case 3: .vacant
    default: .released
    }
  }

  private mutating func decision() -> Decision {
    switch count(5) {
    case 0: .accept()
    case 1: .accept(values: (0..<count(4)).map { _ in value() })
    case 2: .taken
    case 3: .refuse(Decision.codes[count(Decision.codes.count - 1)], text(upTo: 300))
    default: .again
    }
  }

  mutating func forward() -> ForwardedWrite {
    ForwardedWrite(
      ticket: integer(), claim: integer(), timeLeft: integer(),
      writer: Peer(pid: integer(), uid: integer(), gid: integer()), client: text(upTo: 255),
      operations: (0..<count(4)).map { _ in
        var operation = ForwardedOperation(
          WriteKind.allCases[count(WriteKind.allCases.count - 1)], name(), revision: integer(),
          version: integer(),
          value: optional { $0.value() })
        (operation.ttl, operation.isEphemeral) = (optional { $0.integer() }, chance())
        operation.schema = optional { $0.schema() }
        return operation
      }, isEnd: chance())
  }

  // MARK: Replies

  mutating func reply() -> Reply {
    switch count(19) {
    case 0:
      .welcome(
        Welcome(
          version: integer(), capabilities: integer(), epoch: epoch(), revision: integer(),
          maximumFrameLength: integer(), pid: integer(), release: text(upTo: 255)))
    case 1: .pong(revision: integer())
    case 2: .value(state())
    case 3: .written(result())
    case 4: .committed(revision: integer(), (0..<count(5)).map { _ in result() })
    case 5: .listed((0..<count(5)).map { _ in summary() }, more: chance())
    case 6:
      .described(
        StoreDescription(
          name: name().text, state: state(), schema: schema(), durability: durability(), declared: chance(),
          watchers: integer(), ttl: optional { $0.integer() }, owner: optional { $0.integer() }))
    case 7: .watching(revision: integer())
    case 8: .unwatched
    case 9: .clients((0..<count(5)).map { _ in client() }, more: chance())
    case 10: .statistics((0..<count(9)).map { _ in Statistic(name: text(upTo: 255), value: integer()) })
    case 11: .reloaded(release: text(upTo: 255), notes: (0..<count(4)).map { _ in text(upTo: 300) })
    case 12: .explained(explanation())
    case 13: .logged(logPage())
    case 14:
      .monitored(
        MonitorPage(
          records: (0..<count(5)).map { _ in monitorRecord() }, missed: integer(), more: chance(),
          begins: chance()))
    case 15: .providing(claim: integer(), revision: integer())
    case 16: .stood(revision: integer())
    case 17: .decided(counted: chance(), revision: integer())
    case 18: .restricted
    default: .error(error())
    }
  }

  private mutating func monitorRecord() -> MonitorRecord {
    var record = MonitorRecord(
      time: integer(), kind: integer(), revision: integer(), uid: integer(), pid: integer(),
      client: text(upTo: 60), name: text(upTo: 60))
    (record.missed, record.code, record.length, record.flags) = (integer(), integer(), integer(), integer())
    record.error = text(upTo: 300)
    record.payload = (0..<count(40)).map { _ in integer() }
    return record
  }

  private mutating func logPage() -> LogPage {
    var page = LogPage(floor: integer(), revision: integer())
    page.next = optional { LogPlace(revision: $0.integer(), skip: $0.integer()) }
    for _ in 0..<count(5) {
      let kind = LoggedChange.Kind(rawValue: UInt8(count(2))) ?? .changed
      page.changes.append(
        LoggedChange(
          kind: kind, name: name().text, id: StoreID(raw: integer()), revision: integer(), version: integer(),
          time: integer(), uid: integer(), pid: integer(), client: text(upTo: 60),
          value: kind == .removed ? nil : value()))
    }
    return page
  }

  private mutating func explanation() -> AccessExplanation {
    var explanation = AccessExplanation()
    explanation.isTrusted = chance()
    explanation.rule = optional { .init(origin: $0.text(upTo: 300), pattern: $0.pattern().text) }
    explanation.socket = optional { random in
      .init(
        name: random.text(upTo: 60), rights: AccessExplanation.rights.filter { _ in random.chance() },
        prefix: random.name().text, user: random.text(upTo: 60))
    }
    explanation.store = [.untold, .missing, .ofHub, .of(uid: integer())].randomElement(using: &random)!
    for right in AccessExplanation.rights where chance() {
      let verdict = AccessExplanation.Verdict(rawValue: UInt8(count(3)))!
      explanation.answers.append(.init(right: right, verdict: verdict, subject: text(upTo: 60)))
    }
    return explanation
  }

  mutating func durability() -> Durability { Durability.allCases.randomElement(using: &random)! }

  mutating func result() -> WriteResult {
    WriteResult(
      id: StoreID(raw: integer()), revision: integer(), version: integer(), changed: chance(),
      durability: durability(), value: optional { $0.value() }, isTaken: chance())
  }

  mutating func summary() -> StoreSummary {
    StoreSummary(
      name: name().text, id: StoreID(raw: integer()), type: ValueType.allCases.randomElement(using: &random)!,
      declared: chance(), revision: integer(), version: integer(), time: integer(), length: integer(),
      value: optional { $0.value() })
  }

  mutating func client() -> ClientSummary {
    ClientSummary(
      session: integer(), peer: Peer(pid: integer(), uid: integer(), gid: integer()), name: text(upTo: 255),
      since: integer(), watches: integer(), requests: integer(), unsent: integer(), behind: chance(),
      cost: integer(), held: integer(), catchUps: integer(), origin: origin())
  }

  mutating func error() -> HubError {
    HubError(
      HubError.Code.allCases.randomElement(using: &random)!, store: optional { $0.name().text },
      text(upTo: 400), revision: integer(), operation: count(65_535))
  }

  // MARK: Events

  mutating func event() -> HubEvent {
    switch count(10) {
    case 0: .change(state(), grouped: chance(), more: chance())
    case 1:
      .created(
        name: name().text, schema(), state(), grouped: chance(), more: chance(), transient: chance())
    case 2:
      .removed(
        name: name().text,
        HubEvent.Removal(
          id: StoreID(raw: integer()), revision: integer(), version: integer(), time: integer(),
          uid: integer()), grouped: chance(), more: chance())
    case 3: .current(name: name().text, marked(state()))
    case 4: .synced(revision: integer())
    case 5: .resumed(revision: integer())
    case 6: .forget(epoch(), revision: integer())
    case 7: .forward(forward())
    case 9: .ask(ForwardedRead(ticket: integer(), claim: integer(), timeLeft: integer(), name: name()))
    case 8: .withdraw(ticket: integer(), claim: integer(), WithdrawReason(rawValue: UInt8(count(4))))
    default: .ended(EndReason(rawValue: UInt16(count(3))), message: text(upTo: 400))
    }
  }
}
