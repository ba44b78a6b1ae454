// A schema from the options of `create`.

internal import HubCore

enum SchemaWords {
  static func schema(of store: StoreName, _ words: CommandLineWords) throws(Failure) -> Schema {
    let type = try schemaType(of: store, words)
    func value(_ argument: Argument?) throws(Failure) -> Value? {
      guard let argument else { return nil }
      return try ValueSyntax.value(argument, as: type, store: store.text)
    }
    var choices: [Value] = []
    for list in words.arguments(.choices) {
      for choice in list.splitAtCommas { if let choice = try value(choice) { choices.append(choice) } }
    }
    return Schema(
      type: type, initial: try value(words.argument(.initial)),
      minimum: try value(words.argument(.minimum)), maximum: try value(words.argument(.maximum)),
      choices: choices, maxBytes: try words.integer(.maxBytes), durability: try durability(words),
      description: words.text(.description) ?? "")
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

  private static func durability(_ words: CommandLineWords) throws(Failure) -> Durability? {
    guard let name = words.text(.durability) else { return nil }
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
