// Values, states of stores and counts as members of the JSON that statectl prints.

internal import HubCore

extension JSONWriter {
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
}
