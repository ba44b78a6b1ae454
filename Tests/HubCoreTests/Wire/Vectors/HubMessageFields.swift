// The fields of what the hub sends, as the vector files show them.

import HubCore

extension JSONValue {
  fileprivate static func state(_ state: StoreState) -> [(String, JSONValue?)] {
    [
      ("uid", number(state.uid)), ("store", number(state.id.raw)), ("revision", number(state.revision)),
      ("version", number(state.version)), ("time", number(state.time)), ("value", value(state.value)),
    ]
  }

  fileprivate static func result(_ result: WriteResult) -> JSONValue {
    JSONValue.object([
      ("store", number(result.id.raw)), ("revision", number(result.revision)),
      ("version", number(result.version)), ("changed", flag(result.changed)),
      ("durability", text("\(result.durability)")),
    ]).adding([("value", result.value.map { value($0) })])
  }
}

extension Reply {
  var fields: JSONValue {
    let empty: JSONValue = [:]
    switch self {
    case .welcome(let welcome):
      return [
        "version": .number(welcome.version), "capabilities": .number(welcome.capabilities),
        "epoch": .epoch(welcome.epoch), "revision": .number(welcome.revision),
        "longestFrame": .number(welcome.maximumFrameLength), "pid": .number(welcome.pid),
        "release": .text(welcome.release),
      ]
    case .pong(let revision), .watching(let revision): return ["revision": .number(revision)]
    case .value(let state): return empty.adding(JSONValue.state(state))
    case .written(let result): return JSONValue.result(result)
    case .committed(let revision, let results):
      return ["revision": .number(revision), "results": .list(results.map(JSONValue.result))]
    case .listed(let stores, let more):
      return ["stores": .list(stores.map(\.fields)), "more": .flag(more)]
    case .described(let description): return description.fields
    case .unwatched, .restricted: return empty
    case .clients(let clients, let more):
      return ["clients": .list(clients.map(\.fields)), "more": .flag(more)]
    case .statistics(let figures):
      return ["figures": .list(figures.map { [.text($0.name), .number($0.value)] })]
    case .reloaded(let release, let notes):
      return ["release": .text(release), "notes": .list(notes.map { .text($0) })]
    case .explained(let explanation): return explanation.fields
    case .logged(let page):
      return JSONValue.object([
        ("floor", .number(page.floor)), ("revision", .number(page.revision)),
        ("changes", .list(page.changes.map(\.fields))),
      ]).adding([("next", page.next.map { .place($0) })])
    case .monitored(let page):
      return [
        "missed": .number(page.missed), "more": .flag(page.more), "begins": .flag(page.begins),
        "records": .list(page.records.map(\.fields)),
      ]
    case .providing(let claim, let revision):
      return ["claim": .number(claim), "revision": .number(revision)]
    case .stood(let revision): return ["revision": .number(revision)]
    case .decided(let counted, let revision):
      return ["counted": .flag(counted), "revision": .number(revision)]
    case .error(let error): return error.fields.adding([("message", .text(error.message))])
    }
  }
}

extension ForwardedWrite {
  fileprivate var fields: JSONValue {
    [
      "ticket": .number(ticket), "claim": .number(claim), "timeLeft": .number(timeLeft),
      "uid": .number(writer.uid), "gid": .number(writer.gid), "pid": .number(writer.pid),
      "client": .text(client), "isEnd": .flag(isEnd), "operations": .list(operations.map(\.fields)),
    ]
  }
}

extension ForwardedOperation {
  fileprivate var fields: JSONValue {
    JSONValue.object([
      ("kind", .number(kind.rawValue)), ("name", .text(name.text)), ("revision", .number(revision)),
      ("version", .number(version)), ("ephemeral", .flag(isEphemeral)),
    ]).adding([
      ("value", value.map { .value($0) }), ("ttl", ttl.map { .number($0) }),
      ("schema", schema.map { .schema($0) }),
    ])
  }
}

extension LoggedChange {
  fileprivate var fields: JSONValue {
    JSONValue.object([
      ("kind", .text("\(kind)")), ("uid", .number(uid)), ("store", .number(id.raw)),
      ("revision", .number(revision)), ("version", .number(version)), ("time", .number(time)),
      ("pid", .number(pid)), ("name", .text(name)), ("client", .text(client)),
    ]).adding([("value", value.map { .value($0) })])
  }
}

extension MonitorRecord {
  fileprivate var fields: JSONValue {
    [
      "missed": .number(missed), "time": .number(time), "kind": .number(kind), "flags": .number(flags),
      "code": .number(code), "revision": .number(revision), "uid": .number(uid), "pid": .number(pid),
      "length": .number(length), "client": .text(client), "name": .text(name), "error": .text(error),
      "payload": .list(payload.map { .number($0) }),
    ]
  }
}

extension JSONValue {
  static func place(_ place: LogPlace) -> JSONValue {
    ["revision": .number(place.revision), "skip": .number(place.skip)]
  }
}

extension HubError {
  /// All but the message, which is for people.
  var fields: JSONValue {
    [
      "code": .number(code.rawValue), "error": .text("\(code)"), "operation": .number(operation),
      "revision": .number(revision), "store": .text(store ?? ""),
    ]
  }
}

extension StoreSummary {
  fileprivate var fields: JSONValue {
    JSONValue.object([
      ("name", .text(name)), ("type", .text("\(type)")), ("store", .number(id.raw)),
      ("revision", .number(revision)), ("version", .number(version)), ("time", .number(time)),
      ("length", .number(length)), ("declared", .flag(declared)),
    ]).adding([("value", value.map { .value($0) })])
  }
}

extension StoreDescription {
  fileprivate var fields: JSONValue {
    JSONValue.object([("name", .text(name))]).adding(JSONValue.state(state)).adding([
      ("schema", .schema(schema)), ("durability", .text("\(durability)")), ("declared", .flag(declared)),
      ("watchers", .number(watchers)), ("ttl", ttl.map { .number($0) }), ("owner", owner.map { .number($0) }),
    ])
  }
}

extension ClientSummary {
  fileprivate var fields: JSONValue {
    [
      "connection": .number(session), "pid": .number(peer.pid), "uid": .number(peer.uid),
      "gid": .number(peer.gid), "since": .number(since), "watches": .number(watches),
      "requests": .number(requests), "unsent": .number(unsent), "behind": .flag(behind), "name": .text(name),
      "cost": .number(cost), "held": .number(held), "catchUps": .number(catchUps),
      "unit": .text(origin.unit), "userUnit": .text(origin.userUnit), "app": .text(origin.app),
    ]
  }
}

extension AccessExplanation {
  fileprivate var fields: JSONValue {
    let store: JSONValue =
      switch self.store {
      case .untold: "untold"
      case .missing: "missing"
      case .ofHub: "ofHub"
      case .of(let uid): .number(uid)
      }
    return JSONValue.object([("trusted", .flag(isTrusted)), ("store", store)]).adding([
      ("rule", rule.map { ["origin": .text($0.origin), "pattern": .text($0.pattern)] }),
      (
        "socket",
        socket.map { socket in
          [
            "name": .text(socket.name), "rights": .list(socket.rights.map { .text($0) }),
            "prefix": .text(socket.prefix), "user": .text(socket.user),
          ]
        }
      ),
      (
        "answers",
        .list(
          answers.map {
            ["right": .text($0.right), "verdict": .number($0.verdict.rawValue), "subject": .text($0.subject)]
          })
      ),
    ])
  }
}

extension HubEvent {
  var fields: JSONValue {
    let empty: JSONValue = [:]
    func flags(_ grouped: Bool, _ more: Bool) -> [(String, JSONValue?)] {
      [("grouped", grouped ? true : nil), ("more", more ? true : nil)]
    }
    switch self {
    case .change(let state, let grouped, let more):
      return empty.adding(JSONValue.state(state) + flags(grouped, more))
    case .created(let name, let schema, let state, let grouped, let more, let transient):
      return empty.adding([("name", .text(name))] + JSONValue.state(state))
        .adding([("schema", .schema(schema))] + flags(grouped, more))
        .adding([("transient", transient ? true : nil)])
    case .removed(let name, let removal, let grouped, let more):
      return empty.adding([
        ("name", .text(name)), ("uid", .number(removal.uid)), ("store", .number(removal.id.raw)),
        ("revision", .number(removal.revision)), ("version", .number(removal.version)),
        ("time", .number(removal.time)),
      ]).adding(flags(grouped, more))
    case .current(let name, let state):
      return empty.adding([("name", .text(name))] + JSONValue.state(state)).adding([
        ("overdue", state.silence == .begun ? true : nil), ("written", state.silence == .ended ? true : nil),
      ])
    case .synced(let revision), .resumed(let revision): return ["revision": .number(revision)]
    case .forget(let epoch, let revision): return ["epoch": .epoch(epoch), "revision": .number(revision)]
    case .ended(let reason, let message):
      return [
        "reason": .number(reason?.rawValue ?? 0), "name": .text(reason.map { "\($0)" } ?? ""),
        "message": .text(message),
      ]
    case .forward(let write): return write.fields
    case .withdraw(let ticket, let claim, let reason):
      return [
        "ticket": .number(ticket), "claim": .number(claim), "reason": .number(reason?.rawValue ?? 0),
      ]
    case .ask(let read):
      return [
        "ticket": .number(read.ticket), "claim": .number(read.claim), "timeLeft": .number(read.timeLeft),
        "name": .text(read.name.text),
      ]
    }
  }
}
