// Every option of a store has its row, and the row is enough for the wire and for JSON.

import Testing

@testable import HubCore

@Suite struct SchemaFieldTests {
  /// A schema with this field and no other.
  private static func schema(with field: SchemaField) -> Schema {
    var schema = Schema(type: field.types.contains(.string) ? .string : .integer)
    let value: Value = schema.type == .string ? .string("a") : .integer(7)
    switch field.form {
    case .value(let access): access.set(&schema, value)
    case .values(let access): access.set(&schema, [value, value])
    case .count(let access, let range): access.set(&schema, UInt32(range.upperBound))
    case .durability(let access): access.set(&schema, .synced)
    case .text(let access): access.set(&schema, "what it is for")
    }
    return schema
  }

  @Test("every field of a schema but its type has a row, and every row a field")
  func everyField() {
    let fields = Mirror(reflecting: Schema(type: .json)).children.compactMap(\.label)
    #expect(Set(fields).subtracting(["type"]) == Set(SchemaField.all.map(\.key)))
    #expect(fields.count == SchemaField.all.count + 1)
  }

  @Test("rows have keys and bits of their own")
  func distinct() {
    for key in [\SchemaField.key, \.label] {
      #expect(Set(SchemaField.all.map { $0[keyPath: key] }).count == SchemaField.all.count)
    }
    #expect(SchemaField.onWire.map(\.flag) == (0..<SchemaField.all.count).map { 1 << UInt8($0) })
  }

  @Test("a schema with one field is that field's bit on the wire, and comes back")
  func wire() throws {
    for field in SchemaField.all {
      let schema = Self.schema(with: field)
      #expect(SchemaField.all.filter { $0.isSet(in: schema) }.map(\.key) == [field.key])
      var out = OutputBuffer()
      out.append(schema)
      #expect(out.array[5] == field.flag, "\(field.key)")
      out.view.array.withByteView { bytes in
        var reader = ByteReader(bytes)
        #expect(reader.schema() == schema, "\(field.key)")
      }
    }
  }

  @Test("JSON names a field by its key, in the order of the rows")
  func json() throws {
    var writer = JSONWriter()
    var everything = Schema(type: .integer)
    for field in SchemaField.all {
      switch (field.form, Self.schema(with: field)) {
      case (.value(let access), _): access.set(&everything, .integer(7))
      case (.values(let access), _): access.set(&everything, [.integer(7)])
      case (.count(let access, _), let schema): access.set(&everything, access.get(schema))
      case (.durability(let access), let schema): access.set(&everything, access.get(schema))
      case (.text(let access), let schema): access.set(&everything, access.get(schema))
      }
    }
    writer.beginObject()
    writer.members(of: everything, json: .asText)
    writer.endObject()
    guard case .object(let members) = try JSON.parse(writer.bytes.span).content else {
      Issue.record("no object")
      return
    }
    #expect(members.map(\.key) == SchemaField.all.map(\.key))
  }

  @Test("what an option goes with is said in the words of types")
  func types() {
    #expect(SchemaTypes.numbers.description == "integer and double")
    #expect(SchemaTypes.lengths.description == "string, data and json")
    #expect(
      throws: HubError(.invalidSchema, "minimum applies to integer and double, not to string")
    ) { try Schema(type: .string, minimum: .string("a")).validated() }
  }
}
