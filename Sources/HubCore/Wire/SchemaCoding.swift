// How a schema lies in a frame: a byte count, then its fields; later versions add fields at the end.

enum SchemaFlag {
  static let minimum: UInt8 = 1 << 0
  static let maximum: UInt8 = 1 << 1
  static let initial: UInt8 = 1 << 2
  static let choices: UInt8 = 1 << 3
  static let maxBytes: UInt8 = 1 << 4
  static let durability: UInt8 = 1 << 5
  static let description: UInt8 = 1 << 6
}

extension Schema {
  /// An encoded schema is at most this long, so that a `created` frame exceeds the longest frame by a known amount.
  public static let maximumEncodedLength = 32 << 10

  /// How long the schema is on the wire.
  var encodedLength: Int {
    var encoded = OutputBuffer()
    encoded.append(self)
    return encoded.count
  }
}

extension OutputBuffer {
  /// `length: u32, type: u8, flags: u8`, then the fields that the flags name, in the flags' order.
  public mutating func append(_ schema: Schema) {
    let start = count
    append(UInt32(0))
    append(schema.type.rawValue)
    var flags: UInt8 = 0
    if schema.minimum != nil { flags |= SchemaFlag.minimum }
    if schema.maximum != nil { flags |= SchemaFlag.maximum }
    if schema.initial != nil { flags |= SchemaFlag.initial }
    if !schema.choices.isEmpty { flags |= SchemaFlag.choices }
    if schema.maxBytes != nil { flags |= SchemaFlag.maxBytes }
    if schema.durability != nil { flags |= SchemaFlag.durability }
    if !schema.description.isEmpty { flags |= SchemaFlag.description }
    append(flags)
    if let minimum = schema.minimum { append(minimum) }
    if let maximum = schema.maximum { append(maximum) }
    if let initial = schema.initial { append(initial) }
    if !schema.choices.isEmpty {
      // With more choices than can be counted the schema is far above its longest length anyway.
      let choices = schema.choices.prefix(Int(UInt16.max))
      append(UInt16(choices.count))
      for choice in choices { append(choice) }
    }
    if let maxBytes = schema.maxBytes { append(maxBytes) }
    if let durability = schema.durability { append(durability.rawValue) }
    if !schema.description.isEmpty { append(medium: schema.description) }
    patch(UInt32(count - start - 4), at: start)
  }
}

extension ByteReader {
  /// The schema that comes next, or nil if it is malformed or holds text that is none: repaired, it would be
  /// another schema. Fields behind the known ones are skipped.
  public mutating func schema() -> Schema? {
    let length = integer(UInt32.self)
    var reader = ByteReader(bytes(Int(length)))
    guard !failed, let type = ValueType(rawValue: reader.integer()) else { return nil }
    let flags = reader.integer(UInt8.self)
    var schema = Schema(type: type)
    func owned() -> Value? {
      guard let view = ValueView(reading: &reader), view.contentProblem == nil else { return nil }
      return view.value
    }
    if flags & SchemaFlag.minimum != 0 {
      guard let value = owned() else { return nil }
      schema.minimum = value
    }
    if flags & SchemaFlag.maximum != 0 {
      guard let value = owned() else { return nil }
      schema.maximum = value
    }
    if flags & SchemaFlag.initial != 0 {
      guard let value = owned() else { return nil }
      schema.initial = value
    }
    if flags & SchemaFlag.choices != 0 {
      for _ in 0..<Int(reader.integer(UInt16.self)) {
        guard let value = owned() else { return nil }
        schema.choices.append(value)
      }
    }
    if flags & SchemaFlag.maxBytes != 0 { schema.maxBytes = reader.integer() }
    if flags & SchemaFlag.durability != 0 {
      guard let durability = Durability(rawValue: reader.integer()) else { return nil }
      schema.durability = durability
    }
    if flags & SchemaFlag.description != 0 {
      guard let text = String(validating: reader.mediumBytes().buffer, as: UTF8.self) else { return nil }
      schema.description = text
    }
    return reader.failed ? nil : schema
  }
}
