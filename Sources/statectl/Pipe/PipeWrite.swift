// A write requested through `statectl pipe`: its values are converted to the store's type once that is known.

internal import HubCore

struct PipeWrite {
  let name: StoreName
  private let kind: PipeOperation
  private let fields: JSONFields

  /// - Throws: what is wrong with it, whatever the store's type is.
  init(_ kind: PipeOperation, _ fields: JSONFields) throws(Failure) {
    self.kind = kind
    self.fields = fields
    name = try fields.name()
    _ = try operation(as: nil)
  }

  /// Whether the store's type can make a difference.
  var needsType: Bool { kind == .set && fields["type"] == nil }

  /// - Parameter type: the store's, if it is known; otherwise the value's apparent type.
  func operation(as type: ValueType?) throws(Failure) -> WriteOperation {
    do throws(Failure) {
      return try made(as: type)
    } catch {
      throw error.about(name)
    }
  }

  private func made(as type: ValueType?) throws(Failure) -> WriteOperation {
    switch kind {
    case .set:
      let type = fields["type"] == nil ? type : try fields.type()
      var condition = try fields.revision("ifRevision")?.condition() ?? .none
      condition.value = fields["ifValue"] == nil ? nil : try value("ifValue", type)
      condition.absent = try fields.flag("ifAbsent")
      return .set(
        .name(name), try value("value", type),
        condition: condition,
        lifetime: Lifetime(
          ttl: try fields.duration("ttl").map(TimeText.milliseconds),
          ephemeral: try fields.flag("ephemeral")),
        force: try fields.flag("force"))
    case .add:
      let delta = fields["delta"] == nil ? JSONNumber(1) : try fields.number("delta")
      let value: Value =
        if let integer = delta.integer { .integer(integer) } else {
          try fields.value("delta", .double, json: .asValue)
        }
      return .add(.name(name), value, clamp: try fields.flag("clamp"))
    case .toggle: return .toggle(.name(name))
    case .reset: return .reset(.name(name))
    case .remove:
      return .remove(.name(name), condition: try fields.revision("ifRevision")?.condition() ?? .none)
    case .create:
      let schema = try fields.schema(try fields.type(), json: .asValue)
      return .create(name, schema, ifAbsent: try fields.flag("ifAbsent"))
    case .get, .txn, .watch, .unwatch, .list, .ping, .restrict:
      throw JSONFields.failure("\(kind.rawValue) is not a write")
    }
  }

  private func value(_ key: String, _ type: ValueType?) throws(Failure) -> Value {
    if let type { return try fields.value(key, type, json: .asValue) }
    return try JSONFields.apparentValue(try fields.required(key), key)
  }
}

/// What one request asks for.
enum PipeAction {
  case get(StoreName)
  case write(PipeWrite)
  case transaction([PipeWrite])
  case watch([NamePattern], WatchPolicy, WatchFilter?)
  case unwatch(JSONValue)
  case list(NamePattern, after: String, limit: UInt32)
  case ping
  case restrict(Restriction)

  init(_ line: PipeLine) throws(Failure) {
    let operation = try PipeOperation(line)
    let fields = try line.fields(operation)
    switch operation {
    case .get: self = .get(try fields.name())
    case .set, .add, .toggle, .reset, .remove, .create: self = .write(try PipeWrite(operation, fields))
    case .txn:
      var writes: [PipeWrite] = []
      for (index, element) in try fields.array("ops").enumerated() {
        do throws(Failure) {
          let part = try PipeLine(element)
          let operation = try PipeOperation(part)
          writes.append(try PipeWrite(operation, try part.fields(operation, isPart: true)))
        } catch {
          throw error.ofOperation(index)
        }
      }
      self = .transaction(writes)
    case .watch:
      self = .watch(
        try fields.patterns("names"), try fields.flag("every") ? .every : .latest, try fields.filter())
    case .unwatch: self = .unwatch(try fields.required("watch"))
    case .list:
      let glob = fields["glob"] == nil ? "**" : try fields.text("glob")
      let pattern = try attempt { () throws(HubError) in try NamePattern(glob) }
      self = .list(
        pattern, after: fields["after"] == nil ? "" : try fields.text("after"),
        limit: try fields.count("limit", in: 1...PipeOperation.mostListed) ?? PipeOperation.mostListed)
    case .ping: self = .ping
    case .restrict: self = .restrict(try fields.restriction("to"))
    }
  }
}

extension Failure {
  /// The same failure of a part of a transaction.
  fileprivate func ofOperation(_ index: Int) -> Failure {
    guard case .hub(var error) = self else { return self }
    error.operation = index
    return .hub(error)
  }
}
