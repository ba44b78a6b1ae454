// The requests: each with its number, its content, and the file in `Requests` with the rest.

/// All requests except writes, which are in `WriteKind`.
package enum RequestKind: UInt8, Sendable, CaseIterable {
  case hello = 0x01
  case ping = 0x02
  case get = 0x03
  case transaction = 0x0A
  case list = 0x0B
  case describe = 0x0C
  case watch = 0x0D
  case unwatch = 0x0E
  case clients = 0x0F
  case stats = 0x10
  case reload = 0x11
  case access = 0x12
  case log = 0x13
  case monitor = 0x14
  case provide = 0x15
  case standing = 0x16
  case decide = 0x17
  case restrict = 0x18

  /// How the hub reads it.
  var command: any RequestCommand.Type {
    switch self {
    case .hello: HelloCommand.self
    case .ping: PingCommand.self
    case .get: GetCommand.self
    case .transaction: TransactionCommand.self
    case .list: ListCommand.self
    case .describe: DescribeCommand.self
    case .watch: WatchCommand.self
    case .unwatch: UnwatchCommand.self
    case .clients: ClientsCommand.self
    case .stats: StatsCommand.self
    case .reload: ReloadCommand.self
    case .access: AccessCommand.self
    case .log: LogCommand.self
    case .monitor: MonitorCommand.self
    case .provide: ProvideCommand.self
    case .standing: StandingCommand.self
    case .decide: DecideCommand.self
    case .restrict: RestrictCommand.self
    }
  }
}

/// A client's request. Long contents are boxed, because a client keeps requests until they are answered.
public enum Request: Hashable, Sendable {
  /// `name` is what `clients` shows; it is cut to 255 bytes.
  indirect case hello(
    minimumVersion: UInt16 = 1, maximumVersion: UInt16 = Frame.version, capabilities: UInt64 = 0, name: String
  )
  case ping
  case get(StoreReference)
  indirect case write(WriteOperation)
  case transaction([WriteOperation])
  /// Stores in order of name: at most `limit` of those after `after`.
  indirect case list(NamePattern, after: String = "", limit: UInt32 = 1000)
  case describe(StoreReference)
  /// 1 to 65,535 patterns; more need several requests. With `schemas`, stores are shown as `created`, with their
  /// schemas, instead of as `current`, with only their values. `filter` is what is left out; all open watches of a
  /// connection must have the same filter, and it cannot be combined with `every` or `schemas`.
  indirect case watch(
    [NamePattern], policy: WatchPolicy = .latest, bookmark: Bookmark? = nil, schemas: Bool = false,
    filter: WatchFilter? = nil)
  /// Ends the watch opened by the request with that number.
  case unwatch(UInt32)
  /// At most `limit` of the connections with numbers above `after`.
  case clients(after: Int32 = -1, limit: UInt32 = 1000)
  case stats
  /// Reloads the configuration and switches to the installed program.
  case reload
  /// A user's rights to a name, and the reason; only root and the hub's own user may ask for another user (`as`).
  indirect case access(StoreName, as: AccessQuestion? = nil)
  /// The changes that the hub has kept, starting there.
  indirect case log(NamePattern, from: LogPlace = LogPlace(), limit: UInt32 = 1000)
  /// The requests of other clients since this connection's last `monitor`; only for root and the hub's own user.
  indirect case monitor(MonitorFilter = MonitorFilter())
  /// Claims these stores: from now on the connection decides on other clients' writes.
  indirect case provide(ClaimOffer)
  /// The state of the claim with that name.
  indirect case standing(StoreName, ClaimStanding)
  /// The decision on the forwarded write with that ticket.
  indirect case decide(UInt64, Decision)
  /// Gives up rights for good: they cannot be regained on this connection.
  case restrict(Restriction)

  package var kind: Frame.Kind {
    switch self {
    case .hello: .request(.hello)
    case .ping: .request(.ping)
    case .get: .request(.get)
    case .write(let operation): .write(operation.kind)
    case .transaction: .request(.transaction)
    case .list: .request(.list)
    case .describe: .request(.describe)
    case .watch: .request(.watch)
    case .unwatch: .request(.unwatch)
    case .clients: .request(.clients)
    case .stats: .request(.stats)
    case .reload: .request(.reload)
    case .access: .request(.access)
    case .log: .request(.log)
    case .monitor: .request(.monitor)
    case .provide: .request(.provide)
    case .standing: .request(.standing)
    case .decide: .request(.decide)
    case .restrict: .request(.restrict)
    }
  }

  /// Appends the request's frame. The reply carries `id` back.
  package func encode(into out: inout OutputBuffer, id: UInt32) {
    switch self {
    case .hello(let minimum, let maximum, let capabilities, let name):
      HelloCommand.encode(minimum, maximum, capabilities, name, id, into: &out)
    case .ping: out.frame(RequestKind.ping.rawValue, request: id)
    case .get(let store): out.frame(RequestKind.get.rawValue, request: id) { $0.append(store) }
    case .write(let operation): operation.encode(into: &out, id: id)
    case .transaction(let operations): TransactionCommand.encode(operations, id, into: &out)
    case .list(let pattern, let after, let limit): ListCommand.encode(pattern, after, limit, id, into: &out)
    case .describe(let store): out.frame(RequestKind.describe.rawValue, request: id) { $0.append(store) }
    case .watch(let patterns, let policy, let bookmark, let schemas, let filter):
      WatchCommand.encode(patterns, policy, bookmark, schemas, filter, id, into: &out)
    case .unwatch(let watch): out.frame(RequestKind.unwatch.rawValue, request: id) { $0.append(watch) }
    case .clients(let after, let limit): ClientsCommand.encode(after, limit, id, into: &out)
    case .stats: out.frame(RequestKind.stats.rawValue, request: id)
    case .reload: out.frame(RequestKind.reload.rawValue, request: id)
    case .access(let name, let other): AccessCommand.encode(name, other, id, into: &out)
    case .log(let pattern, let from, let limit): LogCommand.encode(pattern, from, limit, id, into: &out)
    case .monitor(let filter): MonitorCommand.encode(filter, id, into: &out)
    case .provide(let offer): ProvideCommand.encode(offer, id, into: &out)
    case .standing(let name, let standing): StandingCommand.encode(name, standing, id, into: &out)
    case .decide(let ticket, let decision): DecideCommand.encode(ticket, decision, id, into: &out)
    case .restrict(let restriction):
      out.frame(RequestKind.restrict.rawValue, request: id) { $0.append(restriction.rawValue) }
    }
  }

  /// Decodes a request's frame into an owned value: for tests, tools and the documentation's dumps; the hub reads commands.
  ///
  /// - Throws: `HubError` with `unknownKind` or `malformed`, or what is wrong with a name, pattern or value in it.
  package init(decoding frame: FrameView) throws(HubError) {
    switch frame.kind {
    case .write: self = .write(try WriteOperation(decoding: frame))
    case .request(let kind):
      guard let command = kind.command.init(frame) else { throw .malformed(frame) }
      self = try command.request()
    case .event(let kind): throw HubError(.unknownKind, "a frame of kind \(kind) is not a request")
    case .reply(let kind): throw HubError(.unknownKind, "a frame of kind \(kind) is not a request")
    case nil: throw HubError(.unknownKind, "kind \(frame.rawKind) is unknown to this version")
    }
  }
}

extension Request {
  /// Whether it changes no store.
  package var isRead: Bool { kind.effect != .stores }

  /// Why no frame can hold all of it, whatever its length. A claim with too many patterns, or a decision with too many
  /// values, is cut, and refused by the hub.
  package var objection: HubError? {
    guard case .watch(let patterns, _, _, _, _) = self, patterns.count > Int(UInt16.max) else { return nil }
    return HubError(
      .invalidPattern, "a watch takes 1 to 65535 stores or patterns, not \(patterns.count)")
  }

  /// Whether it is valid only on the connection that has a claim.
  package var isAboutClaim: Bool {
    switch self {
    case .standing, .decide: true
    default: false
    }
  }

  /// Whether it can be repeated although it may have been executed. Reads can, and writes whose conditions fail if
  /// they were executed. Only a revision does, because another program may have restored a value or an absence.
  package var isRepeatable: Bool { isRead || operations.allSatisfy { $0.condition.revision ?? 0 > 0 } }

  /// The writes in it.
  package var operations: [WriteOperation] {
    switch self {
    case .write(let operation): [operation]
    case .transaction(let operations): operations
    case .hello, .ping, .get, .list, .describe, .watch, .unwatch, .clients, .stats, .reload, .access, .log,
      .monitor, .provide, .standing, .decide, .restrict:
      []
    }
  }
}

extension HubError {
  package static func malformed(_ frame: FrameView) -> HubError {
    let kind = frame.kind.map { "\($0)" } ?? "\(frame.rawKind)"
    return HubError(.malformed, "the \(kind) frame is truncated or has an invalid field")
  }
}
