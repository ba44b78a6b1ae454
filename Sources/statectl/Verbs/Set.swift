// `statectl set`: one round trip where the value is of the type it looks like, two where the store's type says otherwise.

internal import HubCore

extension VerbSpec {
  static let set = VerbSpec(
    "set", "STORE VALUE", 2...2,
    options: Options([.ifRevision, .ifValue, .ifAbsent, .ttl, .type, .force, .rev]),
    summary: "set a value, and create the store if there is none",
    details: """
      The value is read as the store's type asks for. For a store that does not exist yet: a number is an
      integer, or a double if it has a fraction or an exponent or does not fit; true and false are booleans;
      a JSON object or array is json; what begins like one, or like a quoted string, and is no JSON is refused;
      everything else is a string. With - as VALUE it is read from standard input, without one newline at its
      end unless it is data; after -- it is the text -. An equal value changes nothing.
      """,
    examples: [
      "set audio.volume 40", "set greeting 'Hello, world'", "set door open --ttl 30s",
      "set leader $HOSTNAME --if-absent", "set config - < config.json",
    ],
    action: .write(SetCommand.init))
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

  init(_ words: CommandLineWords) throws(Failure) {
    try self.init(words, lifetime: Lifetime(ttl: try words.duration(.ttl).map(TimeText.milliseconds)))
  }

  /// `-` as the value means standard input, except in a transaction.
  init(_ words: CommandLineWords, lifetime: Lifetime) throws(Failure) {
    store = try words.storeName()
    type = try words.valueType()
    expected = words.argument(.ifValue)
    condition = WriteCondition(revision: try words.integer(.ifRevision), absent: words.has(.ifAbsent))
    self.lifetime = lifetime
    force = words.has(.force)
    shape = WriteOutput(words)
    fromInput = !words.inTransaction && words.operands[1] == "-" && words.firstLiteral > 1
    value = fromInput ? Argument(bytes: try StandardInput.read()) : words.operands[1]
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    try shape.show(store.text, try write(&client).result, to: &output)
  }

  /// The value is sent as what it looks like, together with a question for the store's type. That succeeds only where
  /// it is right: a store of another type refuses it, and it is sent again as what the store holds.
  ///
  /// - Returns: what was carried out, too.
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

  /// - Parameter type: nil: what the value looks like. `--type` overrides it.
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

extension Argument {
  /// Without the one newline that programs end their output with.
  var withoutNewline: Argument {
    bytes.last == UInt8(ascii: "\n") ? Argument(bytes: bytes.dropLast()) : self
  }
}
