// Random histories of providers, writers, readers, time and hand-offs: each write and each read has exactly one outcome, and what was
// said agrees with what happened.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Histories of providers") struct ProviderHistoryTests {
  @Test(
    "each write has one outcome, which agrees with what its provider was asked and has said",
    arguments: 0..<60)
  func histories(seed: Int) throws {
    var history = try ProviderHistory(seed: UInt64(seed))
    for _ in 0..<400 where history.problems.isEmpty { try history.step() }
    try history.finish()
    #expect(history.problems == [])
    // A history in which nothing happens shows nothing.
    #expect(history.outcomes.values.reduce(0, +) > 20)
  }

  @Test("the histories reach every outcome, many times")
  func reach() throws {
    var reached: [String: Int] = [:]
    for seed in UInt64(100)..<120 {
      var history = try ProviderHistory(seed: seed)
      for _ in 0..<400 { try history.step() }
      try history.finish()
      reached.merge(history.outcomes) { $0 + $1 }
    }
    for outcome in [
      "done", "refused", "unavailable", "unanswered", "taken", "late", "conflict", "handed over",
      "read", "read refused", "read unavailable", "read unanswered", "shared",
    ] {
      #expect(reached[outcome, default: 0] > 20, "\(outcome): \(reached)")
    }
  }
}

/// One claim, a few writers, and the model of what they know. Every set has a value of its own, which names it.
private struct ProviderHistory: ~Copyable {
  private struct Asked {
    var writer: Int32
    var request: UInt32
    var wasForwarded = false
    var verdict: String?
    var answer: String?
    var isSetterGone = false
    /// It fails if the store has another value when it is judged.
    var isConditional = false
  }

  private var hub: EngineFixture
  private var random: SeededGenerator
  private var provider: SessionID?
  private var nextSession: Int32 = 10
  private var writers: [SessionID] = []
  private var asked: [Int64: Asked] = [:]
  private var tickets: [(ticket: UInt64, value: Int64)] = []
  private var late: [(ticket: UInt64, value: Int64)] = []
  /// By request: the readers that wait, and what the provider was asked about them.
  private var readers: [UInt32: Int32] = [:]
  private var questions: [UInt64] = []
  /// What it has said of reads since the last turn.
  private var readVerdicts: Set<String> = []
  private var lastValue: Int64 = 0
  /// What the store holds.
  private var stored: Int64?
  private(set) var outcomes: [String: Int] = [:]
  private(set) var problems: [String] = []
  private static let store: StoreReference = "dev.n"

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    hub = EngineFixture { $0.uid = 0 }
    for _ in 0..<3 { connect() }
    try claim()
  }

  private mutating func below(_ limit: Int) -> Int { .random(in: 0..<limit, using: &random) }

  private mutating func connect() {
    nextSession += 1
    writers.append(hub.connect(nextSession, uid: UInt32(1000 + nextSession)))
  }

  private mutating func claim() throws {
    nextSession += 1
    let session = hub.connect(nextSession, uid: 0)
    let offer = try ClaimOffer(
      StoreName("dev"), [NamePattern("dev.**")], timeout: 1000, window: UInt16(1 + below(3)),
      answersReads: true)
    let reply = hub.ask(session, .provide(offer))
    if reply.errorCode != nil { problems.append("the claim is refused: \(reply)") }
    provider = session
  }

  mutating func step() throws {
    switch below(24) {
    case 20, 21: try read()
    case 22, 23: try decideRead()
    case 0...7: try write()
    case 8...10: try decide()
    case 13:
      if let provider {
        _ = hub.ask(provider, .standing(try StoreName("dev"), below(4) == 0 ? .suspended("away") : .live))
      }
    case 14: publish()
    case 11, 12, 15:
      let time = UInt64(below(600)) * 1_000_000
      hub.now.boot += time
      hub.now.wall += Int64(time)
    case 16: try loseProvider()
    case 17 where below(3) == 0: loseSetter()
    case 18: try handOver()
    default: decideLate()
    }
    if below(2) == 0 { turn() }
  }

  private mutating func write() throws {
    let place = below(writers.count)
    let writer = writers[place]
    lastValue += 1
    let isConditional = below(3) == 0
    let condition =
      isConditional ? WriteCondition(value: .integer(stored ?? -1)) : WriteCondition.none
    var frame = OutputBuffer()
    let request = UInt32(lastValue) + 10_000
    Request.write(.set(Self.store, .integer(lastValue), condition: condition)).encode(
      into: &frame, id: request)
    asked[lastValue] = Asked(writer: writer.raw, request: request, isConditional: isConditional)
    let (reply, _) = hub.ask(writer, frame.array)
    if reply != .unwatched { answer(lastValue, reply) }
  }

  private mutating func read() throws {
    lastValue += 1
    let (reader, request) = (writers[below(writers.count)], UInt32(lastValue) + 10_000)
    var frame = OutputBuffer()
    Request.get(Self.store).encode(into: &frame, id: request)
    readers[request] = reader.raw
    let (reply, _) = hub.ask(reader, frame.array)
    if reply != .unwatched { answerRead(request, reply) }
  }

  private mutating func decideRead() throws {
    guard let provider, !questions.isEmpty else { return }
    let ticket = questions.removeFirst()
    if below(2) == 0 { publish() }
    switch below(4) {
    case 0:
      readVerdicts.insert("refused")
      check(hub.ask(provider, .decide(ticket, .refuse(.refused, "no"))), counted: true)
    case 1: check(hub.ask(provider, .decide(ticket, .again)), counted: true)
    default:
      readVerdicts.insert("accepted")
      check(hub.ask(provider, .decide(ticket, .accept())), counted: true)
    }
  }

  /// Each read is answered once: with what the store holds, or with an error that its provider or its end explains.
  private mutating func answerRead(_ request: UInt32, _ reply: Reply) {
    guard readers.removeValue(forKey: request) != nil else {
      return problems.append("\(reply) answers no read")
    }
    switch reply {
    case .value(let state):
      if state.value != stored.map({ .integer($0) }) { problems.append("read \(state), not \(stored ?? -1)") }
      outcomes["read", default: 0] += 1
    case .error(let error) where error.code == .noSuchStore && stored == nil: break
    case .error(let error) where [.unavailable, .unanswered].contains(error.code):
      outcomes["read \(error.code)", default: 0] += 1
    case .error(let error) where error.code == .refused && readVerdicts.contains("refused"):
      outcomes["read refused", default: 0] += 1
    default: problems.append("a read gets \(reply)")
    }
  }

  private mutating func decide() throws {
    guard let provider, !tickets.isEmpty else { return }
    let (ticket, value) = tickets.removeFirst()
    let verdict = below(6)
    switch verdict {
    case 0...2:
      asked[value]?.verdict = "done"
      stored = value
      check(hub.ask(provider, .decide(ticket, .accept())), counted: true)
    case 3:
      asked[value]?.verdict = "refused"
      check(hub.ask(provider, .decide(ticket, .refuse(.refused, "no"))), counted: true)
    case 4:
      asked[value]?.verdict = "taken"
      check(hub.ask(provider, .decide(ticket, .taken)), counted: true)
    default:
      asked[value]?.wasForwarded = false
      check(hub.ask(provider, .decide(ticket, .again)), counted: true)
    }
  }

  private mutating func decideLate() {
    guard let provider, let (ticket, value) = late.first else { return }
    late.removeFirst()
    stored = value
    outcomes["late", default: 0] += 1
    check(hub.ask(provider, .decide(ticket, .accept())), counted: false)
  }

  private mutating func check(_ reply: Reply, counted: Bool) {
    guard case .decided(counted, _) = reply else {
      return problems.append("\(reply) is no decision of \(counted)")
    }
  }

  private mutating func publish() {
    guard let provider else { return }
    lastValue += 1
    stored = lastValue
    if hub.write(provider, .set(Self.store, .integer(lastValue))).errorCode != nil {
      problems.append("not published")
    }
  }

  private mutating func loseProvider() throws {
    guard let provider else { return }
    // Its undecided writes are answered now, and what it had in its hands means nothing any more.
    hub.close(provider)
    (tickets, late, questions) = ([], [], [])
    turn()
    try claim()
  }

  private mutating func loseSetter() {
    let writer = writers.remove(at: below(3))
    for (value, entry) in asked where entry.writer == writer.raw {
      asked[value]?.isSetterGone = true
    }
    readers = readers.filter { $0.value != writer.raw }
    hub.close(writer)
    turn()
    connect()
  }

  private mutating func handOver() throws {
    turn()
    let image = EngineImage.bytes(of: hub.engine)
    let options = hub.engine.options
    hub.engine = try EngineImage.engine(from: image, options: options)
    outcomes["handed over", default: 0] += 1
  }

  private mutating func turn() {
    hub.expire()
    hub.engine.deal(now: hub.now)
    var told: [(Int32, Message)] = []
    while let message = hub.engine.nextMessage() {
      if let decoded = try? Message(decoding: FrameView(bytes: message.bytes)) {
        told.append((message.session.raw, decoded))
      }
    }
    _ = hub.turn()
    for (session, message) in told { take(message, session) }
    readVerdicts = []
    let slot = hub.engine.stores.find("dev.n")
    let value = slot.map { hub.engine.stores.value(of: $0).value }
    problems += hub.engine.brokenInvariants()
    if value != stored.map({ .integer($0) }) {
      problems.append("the store has \(String(describing: value)), not \(String(describing: stored))")
    }
  }

  private mutating func take(_ message: Message, _ session: Int32) {
    switch message {
    case .event(.forward(let write)):
      guard case .integer(let value)? = write.operations.first?.value, session == provider?.raw else {
        return problems.append("\(write) is forwarded to \(session)")
      }
      if asked[value]?.answer != nil { problems.append("\(value) is forwarded, and was answered") }
      asked[value]?.wasForwarded = true
      tickets.append((write.ticket, value))
    case .event(.ask(let read)):
      if session != provider?.raw { problems.append("\(read) is asked of \(session)") }
      if readers.count > 1 { outcomes["shared", default: 0] += 1 }
      if readers.isEmpty { problems.append("\(read) is asked for nobody") }
      questions.append(read.ticket)
    case .event(.withdraw(let ticket, _, let reason)):
      questions.removeAll { $0 == ticket && reason == .timeIsOver }
      guard let index = tickets.firstIndex(where: { $0.ticket == ticket }) else { return }
      if reason == .timeIsOver { late.append(tickets.remove(at: index)) }
    case .reply(let reply, let request):
      if readers[request] != nil {
        answerRead(request, reply)
      } else {
        answer(Int64(request) - 10_000, reply)
      }
    default: problems.append("\(message) to \(session)")
    }
  }

  /// Holds what a writer is told to what has happened.
  private mutating func answer(_ value: Int64, _ reply: Reply) {
    guard let entry = asked[value] else { return problems.append("\(reply) answers nothing") }
    if let answer = entry.answer {
      problems.append("\(value) was \(answer), and is answered again: \(reply)")
    }
    if entry.isSetterGone { problems.append("\(value) is answered to nobody") }
    let answer: String
    switch reply {
    case .written(let result): answer = result.isTaken ? "taken" : "done"
    case .error(let error): answer = "\(error.code)"
    default: answer = "\(reply)"
    }
    let isTrue =
      switch answer {
      case "done", "taken", "refused": entry.verdict == answer
      case "unavailable": !entry.wasForwarded && entry.verdict == nil
      case "unanswered": entry.wasForwarded && entry.verdict == nil
      case "conflict": entry.isConditional && entry.verdict == nil
      default: false
      }
    if !isTrue { problems.append("\(value) is \(answer), but \(entry)") }
    asked[value]?.answer = answer
    outcomes[answer, default: 0] += 1
  }

  /// The time of everything is over.
  mutating func finish() throws {
    turn()
    hub.now.boot += 2_000_000_000
    turn()
    if !readers.isEmpty { problems.append("\(readers.count) reads were never answered") }
    for (value, entry) in asked where entry.answer == nil && !entry.isSetterGone {
      problems.append("\(value) was never answered: \(entry)")
    }
  }
}
