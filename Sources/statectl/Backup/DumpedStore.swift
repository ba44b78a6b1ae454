// One store of a dump: the content of its line, and how it is written. `DumpReader` reads it back.

internal import HubCore

/// A store with everything that `load` needs to recreate it.
struct DumpedStore: Hashable, Sendable {
  var name: StoreName
  /// Without an initial value, the store was created by `set`, and has no rules except its type.
  var schema: Schema
  /// Nil: it keeps the value that it has.
  var value: Value?
}

/// The first line of a dump.
struct DumpHeader: Hashable, Sendable {
  var epoch: String
  var revision: Revision
  /// The number of lines that follow, which reveals a truncated dump.
  var stores: UInt64

  static let format: Int64 = 1
}

extension JSONWriter {
  mutating func members(of header: DumpHeader) {
    member("statehub", "dump")
    member("format", DumpHeader.format)
    member("epoch", header.epoch)
    member("revision", header.revision)
    member("stores", header.stores)
  }

  mutating func members(of store: DumpedStore) {
    member("name", store.name.text)
    member("type", store.schema.type.description)
    if let value = store.value { member("value", value, json: .asText) }
    guard store.schema.initial != nil else { return }
    object("schema") { $0.members(of: store.schema, json: .asText) }
  }
}
