// A schema from the options of `create`.

internal import HubCore

enum SchemaWords {
  static func schema(of store: StoreName, _ words: CommandLineWords) throws(Failure) -> Schema {
    let type = try schemaType(of: store, words)
    var schema = Schema(type: type)
    for field in SchemaField.all {
      guard let option = Option(name: field.label), words.has(option) else { continue }
      try take(field, option, words, store, into: &schema)
    }
    return schema
  }

  private static func take(
    _ field: SchemaField, _ option: Option, _ words: CommandLineWords, _ store: StoreName,
    into schema: inout Schema
  ) throws(Failure) {
    let type = schema.type
    func value(_ argument: Argument) throws(Failure) -> Value {
      try ValueSyntax.value(argument, as: type, store: store.text)
    }
    switch field.form {
    case .value(let access):
      if let argument = words.argument(option) { access.set(&schema, try value(argument)) }
    case .values(let access):
      var values: [Value] = []
      for list in words.arguments(option) {
        for argument in list.splitAtCommas { values.append(try value(argument)) }
      }
      access.set(&schema, values)
    case .count(let access, _): access.set(&schema, try words.integer(option))
    case .durability(let access): access.set(&schema, try durability(words.text(option)))
    case .text(let access): access.set(&schema, words.text(option) ?? "")
    }
  }

  private static func schemaType(
    of store: StoreName, _ words: CommandLineWords
  ) throws(Failure) -> ValueType {
    if let type = try words.valueType() { return type }
    guard let initial = words.argument(.initial) else {
      throw .usage("create needs --type or --initial", hint: Help.pointer(.create))
    }
    return try ValueSyntax.inferred(initial, store: store.text).type
  }

  /// - Throws: `usage` if the durability is unknown.
  static func durability(_ name: String?) throws(Failure) -> Durability? {
    guard let name else { return nil }
    guard let durability = Durability(name: name) else {
      let names = Durability.allCases.map(\.description).joined(separator: ", ")
      throw .usage("there is no durability '\(name)'", hint: "it is one of \(names)")
    }
    return durability
  }
}

extension Argument {
  /// `a,b\,c` is `a` and `b,c`.
  var splitAtCommas: [Argument] {
    var parts: [[UInt8]] = [[]]
    let (comma, backslash) = (UInt8(ascii: ","), UInt8(ascii: "\\"))
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == backslash, rest.first == comma {
        parts[parts.count - 1].append(rest.removeFirst())
      } else if byte == comma {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { Argument(bytes: $0) }
  }
}
