// A hub with a provider and others, in whose turns one sees what each is told.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

struct ClaimFixture: ~Copyable {
  var hub: EngineFixture
  let provider: SessionID
  let writer: SessionID
  private var request: UInt32 = 5000

  /// - Parameter live: the provider has claimed `dev.**`, and said that it is live.
  init(
    live: Bool = true, window: UInt16 = 1, lifetimes: Bool = false, reads: Bool = false, uid: UInt32 = 0,
    configure: (inout HubEngine.Options) -> Void = { _ in }
  ) throws {
    hub = EngineFixture {
      $0.uid = 0
      configure(&$0)
    }
    if hub.engine.options.journals {
      hub.engine.finishRestoring(revision: 0, serial: 0, floor: 0, isSameBoot: true, now: hub.now)
      hub.engine.renewReservation()
      hub.engine.journalWritten()
    }
    provider = hub.connect(3, uid: uid, name: "provider")
    writer = hub.connect(4, uid: 1000, name: "writer")
    guard live else { return }
    let offer = try ClaimOffer(
      StoreName("dev"), [NamePattern("dev.**")], timeout: 1000, window: window, takesLifetimes: lifetimes,
      answersReads: reads)
    #expect(hub.ask(provider, .provide(offer)) == .providing(claim: 1, revision: 1))
    _ = try standing(.live)
    _ = deal()
  }

  mutating func standing(_ standing: ClaimStanding) throws -> Reply {
    hub.ask(provider, .standing(try StoreName("dev"), standing))
  }

  /// Sends a request whose answer comes later.
  ///
  /// - Returns: its number.
  mutating func send(_ request: Request, from session: SessionID? = nil) throws -> UInt32 {
    self.request += 1
    var frame = OutputBuffer()
    request.encode(into: &frame, id: self.request)
    let (reply, receipt) = hub.ask(session ?? writer, frame.array)
    // The fixture has this for no reply at all.
    #expect(reply == .unwatched && receipt == [])
    return self.request
  }

  mutating func set(_ name: String, _ value: Value, lifetime: Lifetime = .permanent) throws -> UInt32 {
    try send(.write(.set(.name(try StoreName(name)), value, lifetime: lifetime)))
  }

  /// Ends the turn: what each session is told because of providers.
  mutating func deal() -> [Told] {
    write()
    hub.engine.deal(now: hub.now)
    write()
    var told: [Told] = []
    while let message = hub.engine.nextMessage() {
      let frame = FrameView(bytes: message.bytes)
      if let decoded = try? Message(decoding: frame) { told.append(Told(message.session, decoded)) }
    }
    _ = hub.turn()
    return told
  }

  /// The journal gets what the turn has for it.
  private mutating func write() {
    let hasOutbox = hub.engine.hasOutbox
    if hasOutbox { hub.engine.journalWritten() }
  }

  /// The writes that the provider is asked about by the end of the turn.
  mutating func forwards() -> [ForwardedWrite] { deal().compactMap(\.forward) }

  mutating func decide(_ ticket: UInt64, _ decision: Decision) -> Reply {
    hub.ask(provider, .decide(ticket, decision))
  }

  mutating func pass(milliseconds: UInt64) {
    hub.now.boot += milliseconds * 1_000_000
    hub.now.wall += Int64(milliseconds) * 1_000_000
  }

  mutating func value(_ name: String) throws -> Value? {
    hub.ask(writer, .get(.name(try StoreName(name)))).state?.value
  }

  /// What the store holds, without a request.
  func stored(_ name: String) throws -> Value? {
    hub.engine.stores.find(name).map { hub.engine.stores.value(of: $0).value }
  }

  var isSound: Bool { hub.engine.brokenInvariants() == [] }

  func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
    let broken = hub.engine.brokenInvariants()
    #expect(broken == [], sourceLocation: sourceLocation)
  }

  var isSuspended: Bool { hub.engine.claims.all[0].state == .silent }

  /// The claim's state, as its store has it.
  mutating func state(of claim: String = "dev") throws -> String? {
    guard case .json(let text)? = try value("statehub.providers.\(claim)"),
      case .string(let state)? = try JSON.parse(Array(text.utf8).span)["state"]?.content
    else { return nil }
    return state
  }
}

/// Something that a session was told at the end of a turn.
struct Told: Equatable {
  var session: Int32
  var message: Message

  init(_ session: SessionID, _ message: Message) { (self.session, self.message) = (session.raw, message) }

  var forward: ForwardedWrite? {
    if case .event(.forward(let write)) = message { write } else { nil }
  }

  var ask: ForwardedRead? {
    if case .event(.ask(let read)) = message { read } else { nil }
  }

  /// The reply to a request of that number.
  func reply(to request: UInt32) -> Reply? {
    if case .reply(let reply, request) = message { reply } else { nil }
  }
}

extension [Told] {
  func reply(to request: UInt32) -> Reply? { compactMap { $0.reply(to: request) }.first }
}
