// How a frame holds a schema: a byte count, then its fields; later versions add fields at the end.

extension Schema {
  /// An encoded schema is at most this long, so that a `created` frame exceeds the longest frame by a known amount.
  package static let maximumEncodedLength = 32 << 10

  /// The schema's length on the wire.
  package var encodedLength: Int {
    var encoded = OutputBuffer()
    encoded.append(self)
    return encoded.count
  }
}

extension OutputBuffer {
  /// `length: u32, type: u8, flags: u8`, then the fields that the flags name, in the flags' order.
  package mutating func append(_ schema: Schema) {
    let start = count
    append(UInt32(0))
    append(schema.type.rawValue)
    var flags: UInt8 = 0
    for field in SchemaField.onWire where field.isSet(in: schema) { flags |= field.flag }
    append(flags)
    for field in SchemaField.onWire where flags & field.flag != 0 { append(field, of: schema) }
    patch(UInt32(clamping: count - start - 4), at: start)
  }

  private mutating func append(_ field: SchemaField, of schema: Schema) {
    switch field.form {
    case .value(let access): if let value = access.get(schema) { append(value) }
    case .values(let access):
      // With more values than can be counted, the schema far exceeds its maximum length anyway.
      let values = access.get(schema).prefix(Int(UInt16.max))
      append(UInt16(values.count))
      for value in values { append(value) }
    case .count(let access, _): if let count = access.get(schema) { append(count) }
    case .durability(let access): if let durability = access.get(schema) { append(durability.rawValue) }
    case .text(let access): append(medium: access.get(schema))
    }
  }
}

extension ByteReader {
  /// The type of the next schema if it contains nothing else; otherwise nil, and nothing is read.
  @inline(__always)
  package mutating func plainSchema() -> ValueType? {
    var reader = self
    guard reader.integer(UInt32.self) == 2, let type = ValueType(rawValue: reader.integer()),
      reader.integer(UInt8.self) == 0, !reader.failed
    else { return nil }
    self = reader
    return type
  }

  /// The next schema, or nil if it is malformed or holds invalid text: repaired, it would be another schema. Fields after
  /// the known ones are skipped.
  package mutating func schema() -> Schema? {
    let length = integer(UInt32.self)
    var reader = ByteReader(bytes(Int(length)))
    guard !failed, let type = ValueType(rawValue: reader.integer()) else { return nil }
    let flags = reader.integer(UInt8.self)
    var schema = Schema(type: type)
    for field in SchemaField.onWire where flags & field.flag != 0 {
      guard reader.take(field, into: &schema) else { return nil }
    }
    return reader.failed ? nil : schema
  }

  /// - Returns: false if the field is malformed.
  private mutating func take(_ field: SchemaField, into schema: inout Schema) -> Bool {
    switch field.form {
    case .value(let access):
      guard let value = checkedValue() else { return false }
      access.set(&schema, value)
    case .values(let access):
      var values: [Value] = []
      for _ in 0..<Int(integer(UInt16.self)) {
        guard let value = checkedValue() else { return false }
        values.append(value)
      }
      access.set(&schema, values)
    case .count(let access, _): access.set(&schema, integer())
    case .durability(let access):
      guard let durability = Durability(rawValue: integer()) else { return false }
      access.set(&schema, durability)
    case .text(let access):
      guard let text = String(validating: mediumBytes().buffer, as: UTF8.self) else { return false }
      access.set(&schema, text)
    }
    return true
  }

  private mutating func checkedValue() -> Value? {
    guard let view = ValueView(reading: &self), view.contentProblem == nil else { return nil }
    return view.value
  }
}
