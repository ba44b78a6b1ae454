// How a value is written on the command line: parsed as the requested type, or by JSON's grammar.

internal import HubCore

enum ValueSyntax {
  /// The value that `argument` means in a store of that type; nil: in its apparent type.
  ///
  /// JSON is not checked here: the hub checks it, and reports the position of a mistake.
  ///
  /// - Throws: `invalidValue` or `outOfRange`, about `store`.
  static func value(_ argument: Argument, as type: ValueType?, store: String) throws(Failure) -> Value {
    switch type {
    case nil: try inferred(argument, store: store)
    case .integer: .integer(try integer(argument, store))
    case .double: .double(try double(argument, store))
    case .boolean: .boolean(try boolean(argument, store))
    case .string: .string(try utf8(argument, .string, store))
    case .json: .json(try utf8(argument, .json, store))
    case .data: .data(argument.bytes)
    }
  }

  /// The value of `argument` if no type is known: a JSON number is an integer, or a double if one holds its digits,
  /// else a string; `true` and `false` are booleans; a JSON object or array is json; everything else is a string. Text
  /// that begins like JSON but is invalid is most likely a typo, and refused.
  ///
  /// - Parameter brokenIsText: such a typo is a string, because it is only shown.
  /// - Throws: `invalidValue` for bytes that are not text, and for
  ///   broken JSON.
  static func inferred(
    _ argument: Argument, store: String, brokenIsText: Bool = false
  ) throws(Failure) -> Value {
    switch try argument.withView(form) {
    case .broken(let error) where !brokenIsText:
      throw Failure.rejected(
        store,
        "the value begins like JSON but is not JSON: column \(error.position.column): \(error.reason)"
          + " (to set it as a string, add --type string)")
    case .word(let value): return .boolean(value)
    case .container: return .json(argument.text)
    case .number:
      if let integer = Int64(argument.text) { return .integer(integer) }
      guard NumberText.isHeld(argument.text) else { return .string(argument.text) }
      return .double(try double(argument, store))
    case .text, .broken: return .string(try utf8(argument, .string, store))
    }
  }

  /// A number for `add`: an integer if it is one and fits, else a double.
  static func delta(_ argument: Argument, store: String) throws(Failure) -> Value {
    guard case .number = try argument.withView(form) else {
      throw Failure.rejected(store, "'\(shown(argument.text))' is not a number")
    }
    if let integer = Int64(argument.text) { return .integer(integer) }
    return .double(try double(argument, store))
  }

  /// The beginning of a value, for messages: the value may be a whole file.
  private static func shown(_ text: String) -> String {
    ValueText.cut(text, 81)
  }

  private enum Form {
    case number, container, text
    case word(Bool)
    /// It begins with a brace, a bracket or a quote, and is not JSON.
    case broken(JSONError)
  }

  private static func form(of bytes: ByteView) -> Form {
    guard let start = bytes.buffer.firstIndex(where: { !isSpace($0) }) else { return .text }
    if let error = problem(with: bytes) {
      switch bytes[start] {
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): return .broken(error)
      default: return .text
      }
    }
    switch bytes[start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .container
    case UInt8(ascii: "t") where start == 0 && bytes.count == 4: return .word(true)
    case UInt8(ascii: "f") where start == 0 && bytes.count == 5: return .word(false)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return start == 0 && !isSpace(bytes[bytes.count - 1]) ? .number : .text
    default: return .text
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Why it is not JSON; nil if it is.
  private static func problem(with bytes: ByteView) -> JSONError? {
    do throws(JSONError) {
      try JSON.validate(bytes.buffer)
      return nil
    } catch {
      // Nested too deeply for any hub, but valid JSON so far: the hub reports it, and a string would be surprising.
      if case .tooDeep = error.reason { return nil }
      return error
    }
  }

  private static func integer(_ argument: Argument, _ store: String) throws(Failure) -> Int64 {
    let text = argument.text
    if let integer = Int64(text) { return integer }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    if !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      throw .hub(HubError(.outOfRange, store: store, "\(shown(text)) does not fit in 64 bits"))
    }
    let isNumber = if case .number = try argument.withView(form) { true } else { false }
    let remedy =
      isNumber ? ", and the store holds integers (create \(store) --type double lets it hold fractions)" : ""
    throw Failure.rejected(store, "'\(shown(text))' is not an integer" + remedy)
  }

  private static func double(_ argument: Argument, _ store: String) throws(Failure) -> Double {
    let text = argument.text
    // `Double` also reads hexadecimal, infinities and NaN, which no store holds.
    guard text.utf8.allSatisfy(isDecimal), let double = Double(text) else {
      throw Failure.rejected(store, "'\(shown(text))' is not a number")
    }
    guard double.isFinite else {
      throw .hub(HubError(.outOfRange, store: store, "\(shown(text)) is too large for a double"))
    }
    return double
  }

  private static func isDecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private static func boolean(_ argument: Argument, _ store: String) throws(Failure) -> Bool {
    switch argument.text {
    case "true": true
    case "false": false
    case let text: throw Failure.rejected(store, "'\(shown(text))' is neither true nor false")
    }
  }

  private static func utf8(
    _ argument: Argument, _ type: ValueType, _ store: String
  ) throws(Failure) -> String {
    let text = try argument.withView { bytes throws(Failure) in
      String(validating: bytes.buffer, as: UTF8.self)
    }
    guard let text else {
      throw Failure.rejected(store, "\(type.withArticle) is UTF-8 text; for other bytes use --type data")
    }
    return text
  }
}
