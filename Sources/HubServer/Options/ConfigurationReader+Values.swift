// Owns how a store's values are written in a configuration; judges them by their type alone.

import HubCore

extension ConfigurationReader {
  /// The node as a value of exactly `type`. Data is base64; JSON is kept in one spelling, compact and with its keys
  /// sorted, because values are compared byte by byte.
  mutating func value(_ node: ConfigurationNode, of type: ValueType) -> Value? {
    switch (type, node.value.content) {
    case (.integer, .number(let number)):
      if let integer = number.integer { return .integer(integer) }
      reject(node, expected: "an integer of 64 bits")
    case (.double, .number(let number)):
      if let double = double(number) { return .double(double) }
      reject(node, expected: "a number that a double can hold")
    case (.boolean, .boolean(let value)):
      return .boolean(value)
    case (.string, .string(let text)):
      return .string(text)
    case (.data, .string(let text)):
      do {
        return .data(try Base64.decode(text))
      } catch {
        reject(node, "expected base64 with its padding: \(error)")
      }
    case (.json, _):
      var writer = JSONWriter()
      writer.value(node.value.withSortedKeys)
      return .json(String(decoding: writer.bytes, as: UTF8.self))
    case (.integer, _): reject(node, expected: "an integer")
    case (.double, _): reject(node, expected: "a number")
    case (.boolean, _): reject(node, expected: "true or false")
    case (.string, _): reject(node, expected: "a string")
    case (.data, _): reject(node, expected: "a string of base64")
    }
    return nil
  }

  /// An integer must be exact as a double, as everywhere in the hub; a decimal fraction is the nearest double.
  private func double(_ number: JSONNumber) -> Double? {
    if let integer = number.integer, number.text != "-0" { return Double(exactly: integer) }
    return number.double
  }
}

extension JSONValue {
  fileprivate var withSortedKeys: JSONValue {
    switch content {
    case .array(let elements):
      JSONValue(.array(elements.map(\.withSortedKeys)), at: position)
    case .object(let members):
      JSONValue(
        .object(
          members.map { JSONMember($0.key, $0.value.withSortedKeys, at: $0.keyPosition) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }), at: position)
    default: self
    }
  }
}
