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
  mutating func member(_ name: String, _ count: some FixedWidthInteger) {
    key(name)
    raw(String(count).utf8)
  }

  mutating func member(_ name: String, orNull value: Value?) {
    key(name)
    if let value { self.value(value, json: .asValue) } else { null() }
  }

  mutating func object(_ name: String, _ fill: (inout JSONWriter) -> Void) {
    key(name)
    anonymousObject(fill)
  }

  /// An element of an array.
  mutating func anonymousObject(_ fill: (inout JSONWriter) -> Void) {
    beginObject()
    fill(&self)
    endObject()
  }

  mutating func array<Elements: Sequence>(
    _ name: String, of elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
  ) {
    key(name)
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
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
