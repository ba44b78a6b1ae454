// Values, states of stores, schemas and counts as members of the JSON that statectl prints.

internal import HubCore

/// What a value of type json is in JSON.
enum NestedJSON {
  /// The value that it is, in one line.
  case asValue
  /// A string that holds its text, because every byte of it counts.
  case asText
}

extension JSONWriter {
  /// Numbers as numbers, data as base64.
  mutating func value(_ value: Value, json: NestedJSON = .asValue) {
    switch value {
    case .integer(let value): integer(value)
    case .double(let value): double(value)
    case .boolean(let value): boolean(value)
    case .string(let text): string(text)
    case .data(let bytes): data(bytes)
    case .json(let text) where json == .asText: string(text)
    case .json: raw(ValueText.line(value).utf8)
    }
  }

  mutating func member(_ name: String, _ value: Value, json: NestedJSON = .asValue) {
    key(name)
    self.value(value, json: json)
  }

  mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  mutating func member(_ name: String, _ flag: Bool) {
    key(name)
    boolean(flag)
  }

  /// Counts and revisions: every digit is written, also beyond what a double holds.
  mutating func member(_ name: String, _ count: some UnsignedInteger & FixedWidthInteger) {
    key(name)
    raw(String(count).utf8)
  }

  /// A store's value and its position in the history.
  mutating func members(of state: StoreState, named name: String) {
    member("name", name)
    member("value", state.value)
    member("type", state.value.type.description)
    member("revision", state.revision)
    member("version", state.version)
    member("time", TimeText.rfc3339(state.time))
    member("uid", state.uid)
  }

  /// A schema, without its type.
  mutating func members(of schema: Schema, json: NestedJSON) {
    if let initial = schema.initial { member("initial", initial, json: json) }
    if let minimum = schema.minimum { member("min", minimum) }
    if let maximum = schema.maximum { member("max", maximum) }
    if !schema.choices.isEmpty {
      key("choices")
      beginArray()
      for choice in schema.choices { value(choice, json: json) }
      endArray()
    }
    if let maxBytes = schema.maxBytes { member("maxBytes", maxBytes) }
    if let durability = schema.durability { member("durability", durability.description) }
    if !schema.description.isEmpty { member("description", schema.description) }
  }
}
