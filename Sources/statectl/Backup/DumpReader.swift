// Texts back as stores, in the form of a dump or of a configuration: strict, since anything unknown would be lost. It does not
// contact a hub.

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

  private init() {}

  /// - Parameter text: JSON lines; the header may be missing if the dump was written by hand.
  /// - Throws: the error of a line, with its number; an incomplete dump.
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
    // `dump` prints the first line even for an empty hub.
    if header == nil, entries.isEmpty {
      throw JSONFields.failure("the dump is empty")
    }
    if let header, header.stores != entries.count {
      throw JSONFields.failure(
        "the dump is incomplete: its first line announces \(header.stores) stores, and it has \(entries.count)"
      )
    }
  }

  private mutating func take(_ text: [UInt8], _ number: Int) throws(Failure) {
    let members = try JSONFields.members(of: JSONFields.value(of: text), "a line of a dump")
    guard members.first?.key == "statehub" else {
      return try append(try DumpedStore(dumped: members), number)
    }
    guard header == nil, entries.isEmpty else {
      throw JSONFields.failure("the first line of a dump appears twice")
    }
    header = try DumpHeader(members)
  }

  private mutating func append(_ store: DumpedStore, _ number: Int) throws(Failure) {
    if let first = lines.updateValue(number, forKey: store.name) {
      throw JSONFields.failure("the store is already on line \(first)", store.name.text)
    }
    entries.append(Entry(line: number, store: store))
  }
}

extension Dump {
  /// The stores that a configuration declares: they have rules, and no values.
  ///
  /// - Parameter text: as in `{ stores: { volume: { type: "integer", maximum: 10 } } }`.
  init(configuration text: [UInt8]) throws(Failure) {
    self.init()
    let root: JSONValue
    do throws(JSONError) {
      root = try JSON.parse(text.span, dialect: .configuration)
    } catch {
      throw .inLine(
        error.position.line, JSONFields.failure("column \(error.position.column): \(error.reason)"))
    }
    let file = try JSONFields(JSONFields.members(of: root, "the file"), known: ["stores"], of: "the file")
    try file.refuseUnknown()
    for member in try JSONFields.members(of: file.required("stores"), "stores") {
      do throws(Failure) {
        try append(try DumpedStore(declared: member), member.keyPosition.line)
      } catch {
        throw .inLine(member.keyPosition.line, error)
      }
    }
  }
}

extension DumpedStore {
  fileprivate init(declared member: JSONMember) throws(Failure) {
    let name = try attempt { () throws(HubError) in try StoreName(member.key) }
    do throws(Failure) {
      let fields = try JSONFields(
        JSONFields.members(of: member.value, "a store"), known: ["type"] + SchemaField.all.map(\.key),
        of: "a store")
      try fields.refuseUnknown()
      self.init(
        name: name, schema: try fields.schema(try fields.type(), json: .asValue), value: nil)
    } catch {
      throw error.about(name)
    }
  }
}

extension DumpHeader {
  fileprivate init(_ members: [JSONMember]) throws(Failure) {
    let fields = try JSONFields(
      members, known: ["statehub", "format", "epoch", "revision", "stores"], of: "the first line")
    // The format is checked first, because another format may have other members.
    guard try fields.integer("format") == DumpHeader.format else {
      throw JSONFields.failure("this statectl does not support the dump's format: use a newer one")
    }
    try fields.refuseUnknown()
    guard try fields.text("statehub") == "dump" else { throw JSONFields.failure("this is not a dump") }
    guard let revision = UInt64(try fields.number("revision").text),
      let stores = UInt64(try fields.number("stores").text)
    else { throw JSONFields.failure("revision and stores must be whole numbers") }
    self.init(epoch: try fields.text("epoch"), revision: revision, stores: stores)
  }
}

extension DumpedStore {
  fileprivate init(dumped members: [JSONMember]) throws(Failure) {
    let fields = try JSONFields(members, known: ["name", "type", "value", "schema"], of: "a store")
    let name = try fields.name()
    do throws(Failure) {
      try fields.refuseUnknown()
      let type = try fields.type()
      var schema = Schema(type: type)
      if let rules = fields["schema"] {
        let fields = try JSONFields(
          JSONFields.members(of: rules, "schema"), known: SchemaField.all.map(\.key), of: "a schema")
        try fields.refuseUnknown()
        schema = try fields.schema(type, json: .asText)
      }
      self.init(name: name, schema: schema, value: try fields.value("value", type, json: .asText))
    } catch {
      throw error.about(name)
    }
  }
}

extension Failure {
  /// The same failure about a store, if it names none.
  func about(_ store: StoreName) -> Failure {
    with { if $0.store == nil { $0 = $0.about(store.text) } }
  }
}
