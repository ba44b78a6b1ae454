// Values in JSON: how the configuration, dumps, `--json` and `inspect` all write and read them.

/// How a value of type json appears in JSON.
package enum NestedJSON: Sendable {
  /// As the value itself, in one line.
  case asValue
  /// As a string that contains its text, to preserve every byte.
  case asText
}

extension JSONWriter {
  /// Numbers as numbers, data as base64.
  package mutating func value(_ value: Value, json: NestedJSON) {
    switch value {
    case .integer(let value): integer(value)
    case .double(let value): double(value)
    case .boolean(let value): boolean(value)
    case .string(let text): string(text)
    case .data(let bytes): data(bytes)
    case .json(let text):
      switch json {
      case .asText: string(text)
      // Line breaks occur only as space between tokens.
      case .asValue: raw(text.utf8.lazy.map { $0 < 0x20 ? 0x20 : $0 })
      }
    }
  }
}

extension Value {
  /// Why JSON is not a value of a type.
  package enum Mismatch: Error, Hashable, Sendable {
    /// The value does not match the expectation.
    case unexpected(String)
    /// It is a string whose content is not base64.
    case base64(Base64.DecodingError)
    /// It is a string whose content is not JSON.
    case text(JSONError)
  }

  /// The JSON as a value of exactly that type. A json value that is not given as text is kept in one spelling, compact and
  /// with sorted keys, because values are compared byte by byte.
  package init(_ json: JSONValue, as type: ValueType, json nested: NestedJSON) throws(Mismatch) {
    switch (type, json.content) {
    case (.integer, .number(let number)):
      guard let integer = number.integer else { throw .unexpected("a 64-bit integer") }
      self = .integer(integer)
    case (.double, .number(let number)):
      guard let double = Value.double(number) else { throw .unexpected("a number that a double can hold") }
      self = .double(double)
    case (.boolean, .boolean(let flag)): self = .boolean(flag)
    case (.string, .string(let text)): self = .string(text)
    case (.data, .string(let text)):
      do throws(Base64.DecodingError) {
        self = .data(try Base64.decode(text))
      } catch {
        throw .base64(error)
      }
    case (.json, let content): self = .json(try Value.text(of: JSONValue(content), nested))
    case (.integer, _): throw .unexpected("an integer")
    case (.double, _): throw .unexpected("a number")
    case (.boolean, _): throw .unexpected("true or false")
    case (.string, _): throw .unexpected("a string")
    case (.data, _): throw .unexpected("a base64 string")
    }
  }

  /// A number without fraction and exponent claims to be exact, and must be; a decimal fraction becomes the nearest double.
  private static func double(_ number: JSONNumber) -> Double? {
    if let integer = number.integer, number.text != "-0" { return Double(exactly: integer) }
    return number.double
  }

  private static func text(of json: JSONValue, _ nested: NestedJSON) throws(Mismatch) -> String {
    switch nested {
    case .asValue:
      var writer = JSONWriter()
      writer.value(json.withSortedKeys)
      return String(decoding: writer.bytes, as: UTF8.self)
    case .asText:
      guard case .string(let text) = json.content else { throw .unexpected("a string that holds JSON") }
      do throws(JSONError) {
        try JSON.validate(Array(text.utf8).span)
      } catch {
        throw .text(error)
      }
      return text
    }
  }
}

extension JSONValue {
  fileprivate var withSortedKeys: JSONValue {
    switch content {
    case .array(let elements): JSONValue(.array(elements.map(\.withSortedKeys)), at: position)
    case .object(let members):
      JSONValue(
        .object(
          members.map { JSONMember($0.key, $0.value.withSortedKeys, at: $0.keyPosition) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }), at: position)
    case .null, .boolean, .number, .string: self
    }
  }
}
