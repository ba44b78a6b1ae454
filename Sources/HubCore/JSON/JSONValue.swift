// Owns the tree of a parsed text: values, their positions and their exact source; it reads and writes no text.

/// A value of a JSON text, with its position.
///
/// Equality ignores positions, but not the order of an object's members or the spelling of a number.
package struct JSONValue: Sendable {
  package var content: Content

  /// Where the value starts; ``JSONPosition/start`` for one that was not parsed.
  package var position: JSONPosition

  package enum Content: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])
  }

  package init(_ content: Content, at position: JSONPosition = .start) {
    self.content = content
    self.position = position
  }

  /// The first member with that name in an object; nil for other values. Costs one pass over the members.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }
}

/// One key and value of an object, which keeps the order of its text.
package struct JSONMember: Sendable {
  package var key: String

  /// Where the key starts, its quote included.
  package var keyPosition: JSONPosition

  package var value: JSONValue

  package init(_ key: String, _ value: JSONValue, at keyPosition: JSONPosition = .start) {
    self.key = key
    self.keyPosition = keyPosition
    self.value = value
  }
}

extension JSONValue: Hashable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool { left.content == right.content }
  package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension JSONMember: Hashable {
  package static func == (left: JSONMember, right: JSONMember) -> Bool {
    left.key == right.key && left.value == right.value
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(value)
  }
}

extension JSONValue.Content {
  /// The kind of value in the words of an error message: `a number`.
  package var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
