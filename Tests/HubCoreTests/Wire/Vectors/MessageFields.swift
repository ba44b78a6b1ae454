// The fields of what a client sends, as the vector files show them; replies and events are in `+Hub`.

import HubCore
import TestSupport

extension JSONValue {
  static func value(_ value: HubCore.Value) -> JSONValue {
    let shown: JSONValue =
      switch value {
      case .integer(let value): number(value)
      case .double(let value): JSONValue(.number(JSONNumber(value)!))
      case .boolean(let value): flag(value)
      case .string(let value), .json(let value): text(value)
      case .data(let bytes): hex(bytes)
      }
    return ["type": .text("\(value.type)"), value.type == .data ? "hex" : "value": shown]
  }

  static func schema(_ schema: Schema) -> JSONValue {
    let type: JSONValue = ["type": .text("\(schema.type)")]
    return type.adding([
      ("minimum", schema.minimum.map { value($0) }), ("maximum", schema.maximum.map { value($0) }),
      ("initial", schema.initial.map { value($0) }),
      ("choices", schema.choices.isEmpty ? nil : list(schema.choices.map { value($0) })),
      ("maxBytes", schema.maxBytes.map { number($0) }),
      ("durability", schema.durability.map { text("\($0)") }),
      ("description", schema.description.isEmpty ? nil : text(schema.description)),
    ])
  }

  static func reference(_ store: StoreReference) -> JSONValue {
    switch store {
    case .name(let name): text(name.text)
    case .id(let id): number(id.raw)
    }
  }

  static func epoch(_ epoch: Epoch) -> JSONValue { text("\(epoch)") }
  static func filter(_ filter: WatchFilter) -> JSONValue {
    let interval = filter.milliseconds > 0 ? JSONValue.number(filter.milliseconds) : nil
    var members: [(String, JSONValue?)] = [("milliseconds", interval)]
    switch filter.deadband {
    case .absolute(let amount): members.append(("deadband", .value(.double(amount))))
    case .percent(let amount): members.append(("percent", .value(.double(amount))))
    case nil: break
    }
    let condition = filter.condition.map { condition -> JSONValue in
      [
        "comparison": .number(condition.comparison.rawValue),
        "operands": .list(condition.operands.map { .value($0) }),
      ]
    }
    let deadline = filter.deadline > 0 ? JSONValue.number(filter.deadline) : nil
    return JSONValue.object([]).adding(members + [("condition", condition), ("deadline", deadline)])
  }
  static func bookmark(_ bookmark: Bookmark) -> JSONValue {
    ["epoch": epoch(bookmark.epoch), "revision": number(bookmark.revision)]
  }
}

extension Message {
  /// Kind, request number and fields.
  var fields: JSONValue {
    let header: JSONValue = ["kind": .text("\(FrameKind(frame))"), "flags": .number(frame[5])]
    switch self {
    case .request(let request, let id):
      return header.adding([("request", .number(id)), ("fields", request.fields)])
    case .reply(let reply, let id):
      return header.adding([("request", .number(id)), ("fields", reply.fields)])
    case .event(let event): return header.adding([("request", 0), ("fields", event.fields)])
    }
  }
}

/// The kind of a frame in words; the number of an unknown one.
struct FrameKind: CustomStringConvertible {
  let description: String

  init(_ frame: [UInt8]) {
    description = Frame.Kind(rawValue: frame[4]).map { "\($0)" } ?? "\(frame[4])"
  }
}

extension Request {
  var fields: JSONValue {
    switch self {
    case .hello(let lowest, let highest, let capabilities, let name):
      [
        "lowestVersion": .number(lowest), "highestVersion": .number(highest),
        "capabilities": .number(capabilities), "name": .text(name),
      ]
    case .ping, .stats, .reload: [:]
    case .get(let store), .describe(let store): ["store": .reference(store)]
    case .write(let operation): operation.fields
    case .transaction(let operations):
      ["operations": .list(operations.map { Message.request(.write($0), id: 0).fields })]
    case .list(let pattern, let after, let limit):
      ["limit": .number(limit), "pattern": .text(pattern.text), "after": .text(after)]
    case .watch(let patterns, let policy, let bookmark, let schemas, let filter):
      JSONValue.object([
        ("patterns", .list(patterns.map { .text($0.text) })), ("every", .flag(policy == .every)),
        ("schemas", .flag(schemas)),
      ]).adding([("bookmark", bookmark.map { .bookmark($0) }), ("filter", filter.map { .filter($0) })])
    case .unwatch(let watch): ["watch": .number(watch)]
    case .access(let name, let other):
      JSONValue.object([("name", .text(name.text))]).adding([
        (
          "as",
          other.map {
            [
              "uid": .number($0.uid), "groups": .list($0.groups.map { .number($0) }),
              "socket": .text($0.socket),
            ]
          }
        )
      ])
    case .log(let pattern, let from, let limit):
      ["from": .place(from), "limit": .number(limit), "pattern": .text(pattern.text)]
    case .monitor(let filter):
      JSONValue.object([
        ("pattern", .text(filter.pattern?.text ?? "")), ("kinds", .list(filter.kinds.map { .number($0) })),
      ]).adding([("uid", filter.uid.map { .number($0) })])
    case .provide(let offer):
      [
        "name": .text(offer.name.text), "timeout": .number(offer.timeout), "window": .number(offer.window),
        "description": .text(offer.description), "patterns": .list(offer.patterns.map { .text($0.text) }),
        "waits": .flag(offer.waits), "replaces": .flag(offer.replaces),
        "takesLifetimes": .flag(offer.takesLifetimes), "answersReads": .flag(offer.answersReads),
      ]
    case .standing(let name, let standing): ["name": .text(name.text), "standing": .text(standing.word)]
    case .decide(let ticket, let decision):
      JSONValue.object([("ticket", .number(ticket)), ("verdict", .text(decision.word))]).adding(
        decision.fields)
    case .restrict(let restriction): ["to": .text("\(restriction)")]
    case .clients(let after, let limit): ["limit": .number(limit), "after": .number(after)]
    }
  }
}

extension ClaimStanding {
  fileprivate var word: String {
    switch self {
    case .live: "live"
    case .syncing: "syncing"
    case .suspended(let reason): "suspended: \(reason)"
    case .released: "released"
    case .vacant: "vacant"
    }
  }
}

extension Decision {
  fileprivate var word: String {
    switch self {
    case .accept(nil): "accept"
    case .accept: "acceptOther"
    case .taken: "taken"
    case .refuse: "refuse"
    case .again: "again"
    }
  }

  fileprivate var fields: [(String, JSONValue?)] {
    switch self {
    case .accept(let values?): [("values", .list(values.map { .value($0) }))]
    case .refuse(let code, let message): [("code", .number(code.rawValue)), ("message", .text(message))]
    case .accept, .taken, .again: []
    }
  }
}

extension WriteOperation {
  var fields: JSONValue {
    switch self {
    case .set(let store, let value, let condition, let lifetime, let force):
      JSONValue.object([("store", .reference(store)), ("value", .value(value))])
        .adding(condition.fields)
        .adding([
          ("force", force ? true : nil), ("ttl", lifetime.ttl.map { .number($0) }),
          ("ephemeral", lifetime.ephemeral ? true : nil),
        ])
    case .add(let store, let delta, let clamp):
      ["store": .reference(store), "delta": .value(delta), "clamp": .flag(clamp)]
    case .toggle(let store), .reset(let store): ["store": .reference(store)]
    case .remove(let store, let condition):
      JSONValue.object([("store", .reference(store))]).adding(condition.fields)
    case .create(let name, let schema, let ifAbsent):
      ["name": .text(name.text), "schema": .schema(schema), "ifAbsent": .flag(ifAbsent)]
    }
  }
}

extension WriteCondition {
  fileprivate var fields: [(String, JSONValue?)] {
    [
      ("ifRevision", revision.map { .number($0) }), ("ifEpoch", epoch.map { .epoch($0) }),
      ("ifValue", value.map { .value($0) }), ("ifAbsent", absent ? true : nil),
    ]
  }
}
