// A dump's text back as stores, line by line: strict, since what is not understood would be lost. It asks no hub.

internal import HubCore

/// The stores of a whole dump, each with the number of its line.
struct Dump: Sendable {
  struct Entry: Sendable {
    var line: Int
    var store: DumpedStore
  }

  private(set) var entries: [Entry] = []
  private var lines: [StoreName: Int] = [:]
  private var header: DumpHeader?

  /// - Parameter text: JSON lines; the header may be missing if the dump was written by hand.
  /// - Throws: what is wrong with a line, with its number; a dump that is not whole.
  init(_ text: [UInt8], _ progress: Progress? = nil) throws(Failure) {
    var number = 0
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if entries.isEmpty { progress?.begin("stores understood", of: header.map { Int(clamping: $0.stores) }) }
      progress?.advance(to: entries.count)
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") })
      {
        continue
      }
      do throws(Failure) {
        try take(Array(line), number)
      } catch {
        throw .inLine(number, error)
      }
    }
    if let header, header.stores != entries.count {
      throw DumpLine.failure(
        "the dump is not whole: it begins with \(header.stores) stores, and has \(entries.count)")
    }
  }

  private mutating func take(_ text: [UInt8], _ number: Int) throws(Failure) {
    let line = try DumpLine(text)
    if line.isHeader {
      guard header == nil, entries.isEmpty else {
        throw DumpLine.failure("the dump's first line comes again")
      }
      header = try line.header()
      return
    }
    let store = try line.store()
    if let first = lines.updateValue(number, forKey: store.name) {
      throw DumpLine.failure("the store stands in line \(first) already", store.name.text)
    }
    entries.append(Entry(line: number, store: store))
  }
}

/// One object of a dump, taken apart.
struct DumpLine {
  private let members: [JSONMember]

  init(_ text: [UInt8]) throws(Failure) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSON.parse(text.span)
    } catch {
      throw DumpLine.failure("not JSON: column \(error.position.column): \(error.reason)")
    }
    guard case .object(let members) = value.content else {
      throw DumpLine.failure("a line of a dump is an object, this is \(value.content.kind)")
    }
    self.members = members
  }

  var isHeader: Bool { members.first?.key == "statehub" }

  func header() throws(Failure) -> DumpHeader {
    let fields = try DumpFields(members, known: DumpKey.header, of: "the first line")
    // The format comes first: another one may have other members.
    guard try fields.integer("format") == DumpHeader.format else {
      throw DumpLine.failure("this dump is of a format that this statectl does not know: take a newer one")
    }
    try fields.refuseUnknown()
    guard try fields.text("statehub") == "dump" else { throw DumpLine.failure("this is no dump") }
    guard let revision = UInt64(try fields.number("revision").text),
      let stores = UInt64(try fields.number("stores").text)
    else { throw DumpLine.failure("revision and stores are counts") }
    return DumpHeader(epoch: try fields.text("epoch"), revision: revision, stores: stores)
  }

  func store() throws(Failure) -> DumpedStore {
    let fields = try DumpFields(members, known: DumpKey.store, of: "a store")
    let name = try DumpLine.name(try fields.text("name"))
    do throws(Failure) {
      try fields.refuseUnknown()
      let type = try DumpLine.type(try fields.text("type"))
      return DumpedStore(
        name: name, schema: try schema(type, fields["schema"]),
        value: try DumpLine.value(try fields.required("value"), type, "value"))
    } catch {
      throw error.about(name)
    }
  }

  private func schema(_ type: ValueType, _ value: JSONValue?) throws(Failure) -> Schema {
    var schema = Schema(type: type)
    guard let value else { return schema }
    guard case .object(let members) = value.content else {
      throw DumpLine.failure("schema is an object, not \(value.content.kind)")
    }
    let fields = try DumpFields(members, known: DumpKey.schema, of: "a schema")
    try fields.refuseUnknown()
    for field in SchemaField.all {
      if let json = fields[field.dumpKey] { try take(field, json, fields, into: &schema) }
    }
    return try attempt { () throws(HubError) in try schema.validated() }
  }

  private func take(
    _ field: SchemaField, _ json: JSONValue, _ fields: DumpFields, into schema: inout Schema
  ) throws(Failure) {
    let (key, type) = (field.dumpKey, schema.type)
    switch field.form {
    case .value(let access): access.set(&schema, try DumpLine.value(json, type, key))
    case .values(let access):
      guard case .array(let elements) = json.content else { throw DumpLine.failure("\(key) is an array") }
      var values: [Value] = []
      for element in elements { values.append(try DumpLine.value(element, type, "one of \(key)")) }
      access.set(&schema, values)
    case .count(let access, _):
      guard let count = UInt32(try fields.number(key).text) else {
        throw DumpLine.failure("\(key) is a count of bytes")
      }
      access.set(&schema, count)
    case .durability(let access):
      let text = try fields.text(key)
      guard let durability = Durability(name: text) else {
        throw DumpLine.failure("there is no durability '\(text)'")
      }
      access.set(&schema, durability)
    case .text(let access): access.set(&schema, try fields.text(key))
    }
  }

  // MARK: Parts

  static func failure(_ reason: String, _ store: String? = nil) -> Failure {
    .hub(HubError(.undecodable, store: store, reason))
  }

  private static func name(_ text: String) throws(Failure) -> StoreName {
    try attempt { () throws(HubError) in try StoreName(text) }
  }

  private static func type(_ text: String) throws(Failure) -> ValueType {
    guard let type = ValueType(name: text) else {
      let names = ValueType.allCases.map(\.description).joined(separator: ", ")
      throw failure("there is no type '\(text)', types are \(names)")
    }
    return type
  }

  private static func value(_ json: JSONValue, _ type: ValueType, _ what: String) throws(Failure) -> Value {
    do throws(Value.Mismatch) {
      return try Value(json, as: type, json: .asText)
    } catch {
      switch error {
      case .unexpected: throw failure("\(what) is \(json.content.kind) that is no \(type)")
      case .base64(let error): throw failure("\(what) is not base64: \(error)")
      case .text(let error):
        throw failure("\(what) is a string that holds JSON, but its content is none: \(error)")
      }
    }
  }
}

/// The members of one object, by their names.
private struct DumpFields {
  private let members: [JSONMember]
  private let known: [String]
  private let owner: String

  init(_ members: [JSONMember], known: [String], of owner: String) throws(Failure) {
    self.members = members
    self.known = known
    self.owner = owner
    for (index, member) in members.enumerated()
    where members[..<index].contains(where: { $0.key == member.key }) {
      throw DumpLine.failure("\(owner) has \(JSONWriter.quoted(member.key)) twice")
    }
  }

  func refuseUnknown() throws(Failure) {
    guard let stray = members.first(where: { !known.contains($0.key) })?.key else { return }
    let hint = Suggestion.nearest(stray, in: known).map { ", did you mean \($0)?" } ?? ""
    throw DumpLine.failure("\(owner) has no member \(JSONWriter.quoted(stray))\(hint)")
  }

  subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  func required(_ key: String) throws(Failure) -> JSONValue {
    guard let value = self[key] else { throw DumpLine.failure("\(owner) has no \(key)") }
    return value
  }

  func text(_ key: String) throws(Failure) -> String {
    guard case .string(let text) = try required(key).content else {
      throw DumpLine.failure("\(key) is a string")
    }
    return text
  }

  func number(_ key: String) throws(Failure) -> JSONNumber {
    guard case .number(let number) = try required(key).content else {
      throw DumpLine.failure("\(key) is a number")
    }
    return number
  }

  func integer(_ key: String) throws(Failure) -> Int64? { try number(key).integer }
}

extension Failure {
  /// The same failure about a store, if it names none.
  fileprivate func about(_ store: StoreName) -> Failure {
    guard case .hub(let error) = self, error.store == nil else { return self }
    return .hub(error.about(store.text))
  }
}
