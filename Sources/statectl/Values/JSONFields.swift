// The members of a JSON object, read strictly: anything unknown would be lost. Dumps and `pipe` use them.

internal import HubCore

/// The members of one object, by their names.
struct JSONFields {
  private let members: [JSONMember]
  private let known: [String]
  private let owner: String

  init(_ members: [JSONMember], known: [String], of owner: String) throws(Failure) {
    self.members = members
    self.known = known
    self.owner = owner
    for (index, member) in members.enumerated()
    where members[..<index].contains(where: { $0.key == member.key }) {
      throw JSONFields.failure("\(owner) has \(JSONWriter.quoted(member.key)) twice")
    }
  }

  /// The content of a line of JSON.
  static func value(of text: [UInt8]) throws(Failure) -> JSONValue {
    do throws(JSONError) {
      return try JSON.parse(text.span)
    } catch {
      throw failure("not JSON: column \(error.position.column): \(error.reason)")
    }
  }

  /// The members of what must be an object.
  static func members(of value: JSONValue, _ title: String) throws(Failure) -> [JSONMember] {
    guard case .object(let members) = value.content else {
      throw failure("\(title) must be an object, not \(value.content.kind)")
    }
    return members
  }

  func refuseUnknown() throws(Failure) {
    guard let stray = members.first(where: { !known.contains($0.key) })?.key else { return }
    let hint = Suggestion.nearest(stray, in: known).map { ", did you mean \($0)?" } ?? ""
    throw JSONFields.failure("\(owner) has no member \(JSONWriter.quoted(stray))\(hint)")
  }

  subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  func required(_ key: String) throws(Failure) -> JSONValue {
    guard let value = self[key] else { throw JSONFields.failure("\(owner) has no \(key)") }
    return value
  }

  func text(_ key: String) throws(Failure) -> String {
    guard case .string(let text) = try required(key).content else {
      throw JSONFields.failure("\(key) must be a string")
    }
    return text
  }

  func number(_ key: String) throws(Failure) -> JSONNumber {
    guard case .number(let number) = try required(key).content else {
      throw JSONFields.failure("\(key) must be a number")
    }
    return number
  }

  func integer(_ key: String) throws(Failure) -> Int64? { try number(key).integer }

  func name() throws(Failure) -> StoreName {
    let text = try text("name")
    return try attempt { () throws(HubError) in try StoreName(text) }
  }

  func type() throws(Failure) -> ValueType {
    let text = try text("type")
    guard let type = ValueType(name: text) else {
      let names = ValueType.allCases.map(\.description).joined(separator: ", ")
      throw JSONFields.failure("there is no type '\(text)'; the types are \(names)")
    }
    return type
  }

  func value(_ key: String, _ type: ValueType, json: NestedJSON) throws(Failure) -> Value {
    try JSONFields.value(try required(key), type, key, json)
  }

  /// The rules of a store.
  func schema(_ type: ValueType, json: NestedJSON) throws(Failure) -> Schema {
    var schema = Schema(type: type)
    for field in SchemaField.all {
      if let value = self[field.key] { try take(field, value, json, into: &schema) }
    }
    return try attempt { () throws(HubError) in try schema.validated() }
  }

  private func take(
    _ field: SchemaField, _ json: JSONValue, _ nested: NestedJSON, into schema: inout Schema
  ) throws(Failure) {
    let (key, type) = (field.key, schema.type)
    switch field.form {
    case .value(let access): access.set(&schema, try JSONFields.value(json, type, key, nested))
    case .values(let access):
      guard case .array(let elements) = json.content else {
        throw JSONFields.failure("\(key) must be an array")
      }
      var values: [Value] = []
      for element in elements { values.append(try JSONFields.value(element, type, "one of \(key)", nested)) }
      access.set(&schema, values)
    case .count(let access, _):
      guard let count = UInt32(try number(key).text) else {
        throw JSONFields.failure("\(key) must be a number of bytes")
      }
      access.set(&schema, count)
    case .durability(let access):
      let text = try text(key)
      guard let durability = Durability(name: text) else {
        throw JSONFields.failure("there is no durability '\(text)'")
      }
      access.set(&schema, durability)
    case .text(let access): access.set(&schema, try text(key))
    }
  }

  static func failure(_ reason: String, _ store: String? = nil) -> Failure {
    .hub(HubError(.undecodable, store: store, reason))
  }

  /// The value in the type that its form suggests.
  static func apparentValue(_ json: JSONValue, _ what: String) throws(Failure) -> Value {
    switch json.content {
    case .number(let number):
      if let integer = number.integer { return .integer(integer) }
      guard NumberText.isHeld(number.text) else { return .string(number.text) }
      return try value(json, .double, what, .asValue)
    case .boolean(let flag): return .boolean(flag)
    case .string(let text): return .string(text)
    case .array, .object, .null: return try value(json, .json, what, .asValue)
    }
  }

  /// - Parameter what: what the value is, for messages.
  static func value(
    _ json: JSONValue, _ type: ValueType, _ what: String, _ nested: NestedJSON
  ) throws(Failure) -> Value {
    do throws(Value.Mismatch) {
      return try Value(json, as: type, json: nested)
    } catch {
      switch error {
      case .unexpected: throw failure("\(what) is \(json.content.kind) that is not a valid \(type)")
      case .base64(let error): throw failure("\(what) is not base64: \(error)")
      case .text(let error):
        throw failure("\(what) must be a string of JSON: \(error)")
      }
    }
  }
}
