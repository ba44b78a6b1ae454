// One store of a dump: what its line holds, and how that is written. Reading it back is `DumpReader`'s.

internal import HubCore

/// A store with everything that `load` needs to make it again.
struct DumpedStore: Hashable, Sendable {
  var name: StoreName
  /// Without an initial value the store came into being by `set`, and has no rules but its type.
  var schema: Schema
  /// Nil: it keeps the value that it has.
  var value: Value?
}

/// The first line of a dump.
struct DumpHeader: Hashable, Sendable {
  var epoch: String
  var revision: Revision
  /// How many lines follow: a dump that was cut off is known by it.
  var stores: UInt64

  static let format: Int64 = 1
}

/// The members of a dump's lines, in the order in which they are written.
enum DumpKey {
  static let header = ["statehub", "format", "epoch", "revision", "stores"]
  static let store = ["name", "type", "value", "schema"]
  static let schema = SchemaField.all.map(\.dumpKey)
}

extension JSONWriter {
  mutating func members(of header: DumpHeader) {
    member("statehub", "dump")
    key("format")
    integer(DumpHeader.format)
    member("epoch", header.epoch)
    member("revision", header.revision)
    member("stores", header.stores)
  }

  mutating func members(of store: DumpedStore) {
    member("name", store.name.text)
    member("type", store.schema.type.description)
    if let value = store.value { member("value", value, json: .asText) }
    guard store.schema.initial != nil else { return }
    key("schema")
    beginObject()
    members(of: store.schema, json: .asText)
    endObject()
  }
}
