// A write requested through `statectl pipe`: its values are converted to the store's type once that is known.

internal import HubCore

extension StoreWrite {
  /// - Throws: what is wrong with it, whatever the store's type is.
  init(_ kind: PipeOperation, _ fields: JSONFields) throws(Failure) {
    let name = try fields.name()
    self.init(store: name, needsType: kind == .set && fields["type"] == nil) { type throws(Failure) in
      do throws(Failure) {
        return try fields.operation(kind, on: name, as: type)
      } catch {
        throw error.about(name)
      }
    }
    _ = try operation(nil)
  }
}

extension JSONFields {
  /// - Parameter type: the store's, if it is known; otherwise the value's apparent type.
  fileprivate func operation(
    _ kind: PipeOperation, on name: StoreName, as type: ValueType?
  ) throws(Failure) -> WriteOperation {
    switch kind {
    case .set:
      let type = self["type"] == nil ? type : try self.type()
      var condition = try revision("ifRevision")?.condition() ?? .none
      condition.value = self["ifValue"] == nil ? nil : try setValue("ifValue", type)
      condition.absent = try flag("ifAbsent")
      return .set(
        .name(name), try setValue("value", type),
        condition: condition,
        lifetime: Lifetime(
          ttl: try duration("ttl").map(TimeText.milliseconds), ephemeral: try flag("ephemeral")),
        force: try flag("force"))
    case .add:
      let delta = self["delta"] == nil ? JSONNumber(1) : try number("delta")
      let value: Value =
        if let integer = delta.integer { .integer(integer) } else {
          try self.value("delta", .double, json: .asValue)
        }
      return .add(.name(name), value, clamp: try flag("clamp"))
    case .toggle: return .toggle(.name(name))
    case .reset: return .reset(.name(name))
    case .remove:
      return .remove(.name(name), condition: try revision("ifRevision")?.condition() ?? .none)
    case .create:
      return .create(name, try schema(try self.type(), json: .asValue), ifAbsent: try flag("ifAbsent"))
    case .get, .txn, .watch, .unwatch, .list, .ping, .restrict:
      throw JSONFields.failure("\(kind.rawValue) is not a write")
    }
  }

  private func setValue(_ key: String, _ type: ValueType?) throws(Failure) -> Value {
    if let type { return try value(key, type, json: .asValue) }
    return try JSONFields.apparentValue(try required(key), key)
  }
}

extension JSONFields {
  /// The writes of a transaction.
  func writes(_ key: String) throws(Failure) -> [StoreWrite] {
    var writes: [StoreWrite] = []
    for (index, element) in try array(key).enumerated() {
      do throws(Failure) {
        let part = try PipeLine(element)
        let operation = try PipeOperation(part)
        writes.append(try StoreWrite(operation, try part.fields(operation, isPart: true)))
      } catch {
        throw error.with { $0.operation = index }
      }
    }
    return writes
  }
}
