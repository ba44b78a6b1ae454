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
    action: .writes(SetCommand.one, SetCommand.several))
}

struct SetCommand: StoreWrite {
  let store: StoreName
  private let value: Argument
  /// The value came from standard input, and may end with a newline that is not part of it.
  private let fromInput: Bool
  /// What `--type` says.
  private let type: ValueType?
  private let expected: Argument?
  private let condition: WriteCondition
  private let lifetime: Lifetime
  private let force: Bool
  private let shape: WriteOutput

  /// A line of a transaction.
  fileprivate static func one(_ words: CommandLineWords) throws(Failure) -> any StoreWrite {
    guard words.operands.count == 2 else { throw .usage("a line of a transaction can set only one store") }
    return try SetCommand(words, lifetime: try lifetime(words))
  }

  fileprivate static func several(_ words: CommandLineWords) throws(Failure) -> any HubCommand {
    if words.operands.count == 2 { return try SetCommand(words, lifetime: try lifetime(words)) }
    return try SetManyCommand(words, lifetime: try lifetime(words))
  }

  private static func lifetime(_ words: CommandLineWords) throws(Failure) -> Lifetime {
    Lifetime(ttl: try words.duration(.ttl).map(TimeText.milliseconds))
  }

  /// `-` as the value means standard input, except in a transaction.
  ///
  /// - Parameter index: which operand is the store.
  init(_ words: CommandLineWords, at index: Int = 0, lifetime: Lifetime) throws(Failure) {
    store = try words.storeName(index)
    type = try words.valueType()
    expected = words.argument(.ifValue)
    let isAbsent = words.has(.ifAbsent)
    condition =
      try words.revision(.ifRevision)?.condition(absent: isAbsent) ?? WriteCondition(absent: isAbsent)
    self.lifetime = lifetime
    force = words.has(.force)
    shape = WriteOutput(words)
    let operand = words.operands[index + 1]
    fromInput = !words.inTransaction && operand == "-" && words.firstLiteral > index + 1
    value = fromInput ? Argument(bytes: try StandardInput.read()) : operand
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    try shape.show(store.text, try write(&client).result, to: &output)
  }

  /// The value is sent with its apparent type, together with a query for the store's type. A store of another type
  /// refuses it, and it is sent again with that type.
  ///
  /// - Returns: the executed writes as well.
  func write(_ client: inout Client) throws(Failure) -> (operation: WriteOperation, result: WriteResult) {
    if !needsType {
      let operation = try operation(as: nil)
      return (operation, try client.write(operation))
    }
    let question = client.enqueue(Client.typeQuestion(store))
    var guess: WriteOperation?
    do throws(Failure) {
      let operation = try operation(as: nil)
      guess = operation
      return (operation, try client.write(operation))
    } catch {
      guard mayBeTyping(error), let type = try client.type(question) else { throw error }
      let typed = try operation(as: type)
      if typed == guess { throw error }
      return (typed, try client.write(typed))
    }
  }

  /// Whether the store's own type might make a difference.
  private func mayBeTyping(_ failure: Failure) -> Bool {
    guard case .hub(let error) = failure else { return false }
    return switch error.code {
    case .typeMismatch, .invalidValue, .outOfRange: true
    case .conflict: expected != nil && !condition.absent
    default: false
    }
  }

  var needsType: Bool { type == nil }

  /// - Parameter type: nil: the value's apparent type. `--type` overrides it.
  func operation(as type: ValueType?) throws(Failure) -> WriteOperation {
    let type = self.type ?? type
    var condition = condition
    if let expected { condition.value = try read(expected, as: type) }
    let text = fromInput && type != .data ? value.withoutNewline : value
    return .set(
      .name(store), try read(text, as: type), condition: condition, lifetime: lifetime, force: force)
  }

  private func read(_ argument: Argument, as type: ValueType?) throws(Failure) -> Value {
    if let type { return try ValueSyntax.value(argument, as: type, store: store.text) }
    return try ValueSyntax.inferred(argument, store: store.text)
  }
}

private struct SetManyCommand: HubCommand {
  private var batch = WriteBatch()
  private let words: CommandLineWords

  init(_ words: CommandLineWords, lifetime: Lifetime) throws(Failure) {
    self.words = words
    guard words.operands.count.isMultiple(of: 2) else {
      throw .usage("a store is missing its value", hint: "usage: " + Help.synopsis(of: .set))
    }
    for option in [Option.ifRevision, .ifValue] where words.has(option) {
      throw .usage("--\(option.name) takes one store; txn has conditions for each")
    }
    for index in stride(from: 0, to: words.operands.count, by: 2) {
      batch.append(try SetCommand(words, at: index, lifetime: lifetime))
    }
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    let (revision, results) = try batch.commit(&client)
    try batch.show(revision, results, words, to: &output)
  }
}

extension Argument {
  /// Without the final newline of a program's output.
  var withoutNewline: Argument {
    bytes.last == UInt8(ascii: "\n") ? Argument(bytes: bytes.dropLast()) : self
  }
}
