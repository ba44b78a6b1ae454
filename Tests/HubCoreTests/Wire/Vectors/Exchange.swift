// One frame sent to a hub of known state, and the hub's answer: how a vector of a request is written and played.

import HubCore
import HubEngine
import TestSupport
import Testing

/// A hub's configuration, as far as an exchange needs it.
struct HubSetup {
  var requiresDeclaration = false
  var maximumFrameLength: Int?
  var maximumStores: Int?
  var maximumMemory: Int?
  var maximumWatches: Int?
  var canReload = false
  var declarations: [(StoreName, Schema)] = []

  static let plain = HubSetup()

  var options: HubEngine.Options {
    var options = HubEngine.Options()
    options.requiresDeclaration = requiresDeclaration
    options.maximumFrameLength = maximumFrameLength ?? options.maximumFrameLength
    options.maximumStores = maximumStores ?? options.maximumStores
    options.maximumMemory = maximumMemory ?? options.maximumMemory
    options.maximumWatches = maximumWatches ?? options.maximumWatches
    options.canReload = canReload
    options.release = "1.0.0"
    options.pid = 4242
    return options
  }

  /// Nil: only defaults.
  var fields: JSONValue? {
    let empty: JSONValue = [:]
    let fields = empty.adding([
      ("requireDeclaration", requiresDeclaration ? true : nil),
      ("maxFrameBytes", maximumFrameLength.map { .number($0) }),
      ("maxStores", maximumStores.map { .number($0) }),
      ("maxMemoryBytes", maximumMemory.map { .number($0) }),
      ("patterns", maximumWatches.map { .number($0) }), ("canReload", canReload ? true : nil),
      (
        "declares",
        declarations.isEmpty ? nil : .object(declarations.map { ($0.0.text, .schema($0.1)) })
      ),
    ])
    return fields == empty ? nil : fields
  }
}

/// The hub's expected answer, as its author wrote it down: an independent check of the hub.
enum ExpectedAnswer {
  case error(HubError.Code, operation: Int = 0, revision: Revision = 0)
  /// A reply of this kind, and then events of these kinds.
  case reply(ReplyKind, then: [EventKind] = [])
  /// A `written` with this flag, and the store's version.
  case written(changed: Bool, version: UInt64)
}

struct Exchange {
  var name: String
  /// Why, for people.
  var about: String
  var hub = HubSetup.plain
  /// Whether `hello` was said.
  var greeted = true
  /// Sent before, and answered without an error.
  var before: [[UInt8]] = []
  var send: [UInt8]
  var answer: ExpectedAnswer
  /// Whether the hub closes the connection then.
  var closes = false

  static let request: UInt32 = 100

  init(
    _ name: String, _ about: String, hub: HubSetup = .plain, greeted: Bool = true, before: [Request] = [],
    _ send: [UInt8], _ answer: ExpectedAnswer, closes: Bool = false
  ) {
    (self.name, self.about, self.hub, self.greeted, self.send) = (name, about, hub, greeted, send)
    (self.answer, self.closes) = (answer, closes)
    let hello: [Request] = greeted ? [.hello(name: "example")] : []
    self.before = zip(1..., hello + before).map { Message.request($1, id: UInt32($0)).frame }
  }

  init(
    _ name: String, _ about: String, hub: HubSetup = .plain, before: [Request] = [], _ send: Request,
    _ answer: ExpectedAnswer
  ) {
    self.init(
      name, about, hub: hub, before: before, Message.request(send, id: Exchange.request).frame, answer)
  }

  /// Plays it to a new hub and records where the hub disagrees.
  var played: JSONValue {
    let peer = HubPeer(
      options: hub.options, epoch: ProtocolVectors.epoch, peer: Peer(pid: 501, uid: 1000, gid: 1000),
      now: Instant(wall: ProtocolVectors.time, boot: 1_000_000_000), declarations: hub.declarations)
    for frame in before {
      let answers = peer.send(frame)
      #expect(answers.first?[4] ?? 0xFF != ReplyKind.error.rawValue, "\(name): what comes before fails")
    }
    let frames = peer.send(send)
    #expect(peer.isClosed == closes, "\(name): closes the connection")
    check(frames)
    let shown = frames.map { frame -> JSONValue in
      guard case .success(let message) = Message.decoded(frame) else { return .hex(frame) }
      let kind: [(String, JSONValue?)] = [("kind", .text("\(FrameKind(frame))"))]
      if case .reply(.error(let error), let id) = message {
        // The wording may change, so the bytes are not shown.
        return JSONValue.object([]).adding(kind + [("request", .number(id)), ("fields", error.fields)])
      }
      return JSONValue.object([("hex", .hex(frame))]).adding(kind).adding([("fields", message.innerFields)])
    }
    return JSONValue.object([("name", .text(name)), ("about", .text(about))]).adding([
      ("hub", hub.fields), ("before", .list(before.map { .hex($0) })),
      ("request", .text("\(FrameKind(send))")), ("send", .hex(send)), ("answer", .list(shown)),
      ("closes", closes ? true : nil),
    ])
  }

  private func check(_ frames: [[UInt8]]) {
    guard let first = frames.first, case .success(.reply(let reply, let id)) = Message.decoded(first) else {
      Issue.record("\(name): no reply")
      return
    }
    #expect(id == send.withByteView { $0.load(UInt32.self, at: 8) }, "\(name): the reply's number")
    let kinds = frames.compactMap { Frame.Kind(rawValue: $0[4]) }
    switch (answer, reply) {
    case (.error(let code, let operation, let revision), .error(let error)):
      #expect(error.code == code, "\(name): \(error)")
      #expect(error.operation == operation && error.revision == revision, "\(name): \(error)")
      #expect(frames.count == 1, "\(name): an error and nothing else")
    case (.reply(let kind, let events), _):
      #expect(kinds == [.reply(kind)] + events.map { .event($0) }, "\(name): \(reply)")
    case (.written(let changed, let version), .written(let result)):
      #expect(result.changed == changed && result.version == version, "\(name): \(result)")
    default: Issue.record("\(name): the hub answers \(reply), not \(answer)")
    }
  }
}

extension Message {
  var innerFields: JSONValue {
    switch self {
    case .request(let request, _): request.fields
    case .reply(let reply, _): reply.fields
    case .event(let event): event.fields
    }
  }
}

// MARK: Bytes by hand

/// A claim of these stores.
func offer(_ patterns: [String] = ["dev.**"], window: UInt16 = 1) -> Request {
  .provide(ClaimOffer(try! StoreName("dev"), patterns.map { try! NamePattern($0) }, window: window))
}
/// A request's frame with any payload.
func raw(_ kind: RequestKind, flags: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
  rawFrame(kind.rawValue, flags: flags, request: Exchange.request, payload)
}
func raw(_ kind: WriteKind, flags: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
  rawFrame(kind.rawValue, flags: flags, request: Exchange.request, payload)
}
