// The hub's replies: each with its number, its content and its frame. `Replies` has the longer layouts.

@usableFromInline package enum ReplyKind: UInt8, Sendable, CaseIterable {
  case welcome = 0x80
  case pong = 0x81
  case value = 0x82
  case written = 0x83
  case committed = 0x84
  case listed = 0x85
  case described = 0x86
  case watching = 0x87
  case unwatched = 0x88
  case clientList = 0x89
  case statistics = 0x8A
  case reloaded = 0x8B
  case explained = 0x8C
  case logged = 0x8D
  case monitored = 0x8E
  case providing = 0x8F
  case stood = 0x90
  case decided = 0x91
  case restricted = 0x92
  case error = 0xFF

  /// The writes that it acknowledges and that may have to wait for the disk.
  var acknowledged: Acknowledged {
    switch self {
    case .written: .write
    case .committed: .transaction
    case .welcome, .pong, .value, .listed, .described, .watching, .unwatched, .clientList, .statistics,
      .reloaded, .explained, .logged, .monitored, .providing, .stood, .decided, .restricted, .error:
      .nothing
    }
  }

  enum Acknowledged { case nothing, write, transaction }
}

/// The answer to one request. Long and rare contents are boxed, so frequent replies take only a few words and are
/// cheap to copy.
public enum Reply: Hashable, Sendable {
  indirect case welcome(Welcome)
  case pong(revision: Revision)
  case value(StoreState)
  case written(WriteResult)
  case committed(revision: Revision, [WriteResult])
  case listed([StoreSummary], more: Bool)
  indirect case described(StoreDescription)
  /// The watch is open; its values follow, up to a `synced`.
  case watching(revision: Revision)
  case unwatched
  case clients([ClientSummary], more: Bool)
  case statistics([Statistic])
  /// The hub has reloaded, and now runs this version. `notes` are human-readable, such as settings that take effect at the
  /// hub's next start.
  case reloaded(release: String, notes: [String])
  indirect case explained(AccessExplanation)
  indirect case logged(LogPage)
  indirect case monitored(MonitorPage)
  /// The connection has the claim, in the state `syncing`. `claim` is its number.
  case providing(claim: UInt32, revision: Revision)
  case stood(revision: Revision)
  /// `counted` means that the decision was in time. If it was late, an `accept` has still taken effect.
  case decided(counted: Bool, revision: Revision)
  case restricted
  indirect case error(HubError)
}

extension Reply {
  private static let counted: UInt8 = 1 << 0

  /// The general encoder. The engine writes the two hot ones, `value` and `written`, itself.
  package func encode(into out: inout OutputBuffer, request: UInt32) {
    switch self {
    case .welcome(let welcome): out.frame(ReplyKind.welcome.rawValue, request: request) { $0.append(welcome) }
    case .pong(let revision): out.frame(ReplyKind.pong.rawValue, request: request) { $0.append(revision) }
    case .watching(let revision):
      out.frame(ReplyKind.watching.rawValue, request: request) { $0.append(revision) }
    case .unwatched: out.frame(ReplyKind.unwatched.rawValue, request: request)
    case .value(let state): out.frame(ReplyKind.value.rawValue, request: request) { $0.append(state) }
    case .written(let result): result.encode(into: &out, request: request)
    case .committed(let revision, let results):
      WriteResult.encode(results, revision, into: &out, request: request)
    case .listed(let stores, let more): StoreSummary.encode(stores, more: more, into: &out, request: request)
    case .described(let description): description.encode(into: &out, request: request)
    case .clients(let clients, let more):
      ClientSummary.encode(clients, more: more, into: &out, request: request)
    case .statistics(let figures): Statistic.encode(figures, into: &out, request: request)
    case .reloaded(let release, let notes):
      out.frame(ReplyKind.reloaded.rawValue, request: request) { out in
        out.append(short: release)
        out.append(UInt16(clamping: notes.count))
        for note in notes.prefix(Int(UInt16.max)) { out.append(medium: note) }
      }
    case .explained(let explanation): explanation.encode(into: &out, request: request)
    case .logged(let page): page.encode(into: &out, request: request)
    case .monitored(let page): page.encode(into: &out, request: request)
    case .providing(let claim, let revision):
      out.frame(ReplyKind.providing.rawValue, request: request) { out in
        out.append(claim)
        out.append(revision)
      }
    case .stood(let revision): out.frame(ReplyKind.stood.rawValue, request: request) { $0.append(revision) }
    case .decided(let counted, let revision):
      out.frame(ReplyKind.decided.rawValue, flags: counted ? Reply.counted : 0, request: request) {
        $0.append(revision)
      }
    case .restricted: out.frame(ReplyKind.restricted.rawValue, request: request)
    case .error(let error): out.frame(ReplyKind.error.rawValue, request: request) { $0.append(error) }
    }
  }

  /// As a frame by itself, to be kept.
  package func frame(request: UInt32) -> [UInt8] {
    var out = OutputBuffer()
    encode(into: &out, request: request)
    return out.array
  }

  /// - Throws: `HubError` with `malformed` or `unknownKind`: the hub speaks another protocol.
  package init(decoding frame: FrameView) throws(HubError) {
    guard let kind = ReplyKind(rawValue: frame.rawKind) else {
      throw HubError(.unknownKind, "kind \(frame.rawKind) is not a reply of this version")
    }
    var reader = ByteReader(frame.payload)
    guard let reply = Reply(kind, flags: frame.flags, reading: &reader), !reader.failed else {
      throw .malformed(frame)
    }
    self = reply
  }

  private init?(_ kind: ReplyKind, flags: UInt8, reading reader: inout ByteReader) {
    let reply: Reply? =
      switch kind {
      case .welcome: .welcome(Welcome(reading: &reader))
      case .pong: .pong(revision: reader.integer())
      case .watching: .watching(revision: reader.integer())
      case .unwatched: .unwatched
      case .value: StoreState(reading: &reader).map { .value($0) }
      case .written: WriteResult(flags: flags, reading: &reader).map { .written($0) }
      case .committed: WriteResult.committed(reading: &reader)
      case .listed: StoreSummary.listed(flags: flags, reading: &reader)
      case .described: StoreDescription(flags: flags, reading: &reader).map { .described($0) }
      case .clientList: ClientSummary.clients(flags: flags, reading: &reader)
      case .statistics: Statistic.statistics(reading: &reader)
      case .reloaded: Reply.reloaded(reading: &reader)
      case .explained: AccessExplanation(reading: &reader).map { .explained($0) }
      case .logged: LogPage(flags: flags, reading: &reader).map { .logged($0) }
      case .monitored: MonitorPage(flags: flags, reading: &reader).map { .monitored($0) }
      case .providing: .providing(claim: reader.integer(), revision: reader.integer())
      case .stood: .stood(revision: reader.integer())
      case .decided: .decided(counted: flags & Reply.counted != 0, revision: reader.integer())
      case .restricted: .restricted
      case .error: .error(HubError(reading: &reader))
      }
    guard let reply else { return nil }
    self = reply
  }

  private static func reloaded(reading reader: inout ByteReader) -> Reply? {
    let release = reader.shortBytes().text
    var notes: [String] = []
    for _ in 0..<Int(reader.integer(UInt16.self)) {
      notes.append(reader.mediumBytes().text)
      if reader.failed { return nil }
    }
    return .reloaded(release: release, notes: notes)
  }
}
