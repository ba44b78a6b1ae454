// `statectl set`: one round trip if the value's apparent type is right, two if the store has another type. Several
// stores are a transaction.

internal import HubCore

extension VerbSpec {
  static let set = VerbSpec(
    "set", "STORE VALUE [STORE VALUE]...", 2 ... .max,
    options: Options([.ifRevision, .ifValue, .ifAbsent, .ttl, .type, .force, .showRevision]),
    summary: "set a value, creating the store if it is missing",
    details: """
      The value is parsed as the store's type. For a new store, the type follows from the value: a whole
      number that fits in 64 bits is an integer; any other number is a double if a double holds all its
      digits, otherwise a string (such as a long serial number); true and false are booleans; a JSON object or
      array is json; anything else is a string. Text that begins like an object, an array or a quoted string
      but is not JSON is refused. --type overrides this. If VALUE is -, the value is read from standard input,
      without its final newline unless it is data; after --, - is the text itself. Setting the same value
      again changes nothing. Several stores are set in one transaction: all or none. A value with --ttl does
      not replace a persistent value that would be lost.
      """,
    examples: [
      "set audio.volume 40", "set greeting 'Hello, world'", "set door open --ttl 30s",
      "set leader $HOSTNAME --if-absent", "set config - < config.json", "set light.on true light.level 80",
    ],
    action: .write(one, alone: command))
}

/// A line of a transaction.
private func one(_ words: CommandLineWords) throws(Failure) -> StoreWrite {
  guard words.operands.count == 2 else { throw .usage("a line of a transaction can set only one store") }
  return try .set(words, lifetime: try lifetime(words))
}

private func lifetime(_ words: CommandLineWords) throws(Failure) -> Lifetime {
  Lifetime(ttl: try words.duration(.ttl).map(TimeText.milliseconds))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  if words.operands.count == 2 { return try one(words).command(words) }
  guard words.operands.count.isMultiple(of: 2) else {
    throw .usage("a store is missing its value", hint: "usage: " + Help.synopsis(of: .set))
  }
  for option in [Option.ifRevision, .ifValue] where words.has(option) {
    throw .usage("--\(option.name) takes one store; txn has conditions for each")
  }
  let lifetime = try lifetime(words)
  var batch = WriteBatch(words)
  for index in stride(from: 0, to: words.operands.count, by: 2) {
    batch.append(try .set(words, at: index, lifetime: lifetime))
  }
  return batch.run
}

extension StoreWrite {
  /// `-` as the value means standard input, except in a transaction.
  ///
  /// - Parameter index: which operand is the store.
  static func set(
    _ words: CommandLineWords, at index: Int = 0, lifetime: Lifetime
  ) throws(Failure) -> StoreWrite {
    let store = try words.storeName(index)
    let requested = try words.valueType()
    let isAbsent = words.has(.ifAbsent)
    let condition =
      try words.revision(.ifRevision)?.condition(absent: isAbsent) ?? WriteCondition(absent: isAbsent)
    let operand = words.operands[index + 1]
    let isInput = !words.inTransaction && operand == "-" && words.firstLiteral > index + 1
    let value = isInput ? Argument(bytes: try StandardInput.read()) : operand
    return StoreWrite(store: store, needsType: requested == nil) { type throws(Failure) in
      let type = requested ?? type
      var condition = condition
      if let expected = words.argument(.ifValue) {
        condition.value = try ValueSyntax.value(expected, as: type, store: store.text)
      }
      let text = isInput && type != .data ? value.withoutNewline : value
      return .set(
        .name(store), try ValueSyntax.value(text, as: type, store: store.text), condition: condition,
        lifetime: lifetime, force: words.has(.force))
    }
  }
}

extension Argument {
  /// Without the final newline of a program's output.
  var withoutNewline: Argument {
    bytes.last == UInt8(ascii: "\n") ? Argument(bytes: bytes.dropLast()) : self
  }
}
