// The options of a store, one row each: their names, their bits in a frame, the types they apply to, their content.

/// An option of a store, which is a field of `Schema`. `Schema` has its rule.
package struct SchemaField: Sendable {
  /// Its key in configurations, in JSON and in messages.
  package let key: String
  /// Its bit in the flags of an encoded schema. The fields follow in the order of their bits.
  let flag: UInt8
  package let types: SchemaTypes
  package let form: Form

  /// What a field holds, and how to access it.
  package enum Form: Sendable {
    /// A value of the store's type.
    case value(Access<Value?>)
    case values(Access<[Value]>)
    /// A number, and its range in a configuration.
    case count(Access<UInt32?>, ClosedRange<Int>)
    case durability(Access<Durability?>)
    case text(Access<String>)
  }

  package struct Access<Content: Sendable>: Sendable {
    package let get: @Sendable (Schema) -> Content
    package let set: @Sendable (inout Schema, Content) -> Void

    fileprivate init(
      _ get: @escaping @Sendable (Schema) -> Content,
      _ set: @escaping @Sendable (inout Schema, Content) -> Void
    ) {
      self.get = get
      self.set = set
    }
  }

  private init(_ key: String, bit: UInt8, for types: SchemaTypes, _ form: Form) {
    self.key = key
    flag = 1 << bit
    self.types = types
    self.form = form
  }

  /// In the order of display.
  package static let all = [
    SchemaField("initial", bit: 2, for: .all, .value(Access({ $0.initial }, { $0.initial = $1 }))),
    SchemaField("minimum", bit: 0, for: .numbers, .value(Access({ $0.minimum }, { $0.minimum = $1 }))),
    SchemaField("maximum", bit: 1, for: .numbers, .value(Access({ $0.maximum }, { $0.maximum = $1 }))),
    SchemaField("choices", bit: 3, for: .all, .values(Access({ $0.choices }, { $0.choices = $1 }))),
    SchemaField(
      "maxBytes", bit: 4, for: .lengths, .count(Access({ $0.maxBytes }, { $0.maxBytes = $1 }), 1...1 << 30)),
    SchemaField(
      "durability", bit: 5, for: .all, .durability(Access({ $0.durability }, { $0.durability = $1 }))),
    SchemaField(
      "description", bit: 6, for: .all, .text(Access({ $0.description }, { $0.description = $1 }))),
  ]

  /// In the order of their bits.
  static let onWire = all.sorted { $0.flag < $1.flag }

  /// Its name as an option of statectl and in its human-readable output.
  package var label: String { SchemaField.word(key) }

  /// `maxBytes` is `max-bytes`.
  private static func word(_ key: String) -> String {
    var word = ""
    for character in key {
      if character.isUppercase { word += "-" }
      word += character.lowercased()
    }
    return word
  }

  package func isSet(in schema: Schema) -> Bool {
    switch form {
    case .value(let access): access.get(schema) != nil
    case .values(let access): !access.get(schema).isEmpty
    case .count(let access, _): access.get(schema) != nil
    case .durability(let access): access.get(schema) != nil
    case .text(let access): !access.get(schema).isEmpty
    }
  }

  /// As human-readable text; nil if it is not set.
  ///
  /// - Parameter line: shows a value in one line.
  package func text(in schema: Schema, _ line: (Value) -> String) -> String? {
    guard isSet(in: schema) else { return nil }
    return switch form {
    case .value(let access): access.get(schema).map(line)
    case .values(let access): access.get(schema).map(line).joined(separator: ", ")
    case .count(let access, _): access.get(schema).map { String($0) }
    case .durability(let access): access.get(schema)?.description
    case .text(let access): access.get(schema)
    }
  }
}

/// The types that an option applies to.
package enum SchemaTypes: Sendable, CustomStringConvertible {
  case all
  case numbers
  /// Those whose values differ in length.
  case lengths

  package func contains(_ type: ValueType) -> Bool {
    switch self {
    case .all: true
    case .numbers: type.isNumber
    case .lengths: type.fixedLength == nil
    }
  }

  package var description: String {
    let names = ValueType.allCases.filter(contains).map(\.description)
    return names.dropLast().joined(separator: ", ") + " and " + names.last!
  }
}

extension JSONWriter {
  /// The options of a schema, without its type.
  package mutating func members(of schema: Schema, json: NestedJSON) {
    for field in SchemaField.all where field.isSet(in: schema) {
      key(field.key)
      switch field.form {
      case .value(let access):
        if let value = access.get(schema) { self.value(value, json: json) }
      case .values(let access):
        beginArray()
        for value in access.get(schema) { self.value(value, json: json) }
        endArray()
      case .count(let access, _): integer(Int64(access.get(schema) ?? 0))
      case .durability(let access): string(access.get(schema)?.description ?? "")
      case .text(let access): string(access.get(schema))
      }
    }
  }
}
