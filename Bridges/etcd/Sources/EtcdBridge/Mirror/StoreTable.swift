// The published revision of each key, in etcd and in the hub.

internal import FoundationEssentials
internal import HubClient

/// Bounded by the keys of the prefix.
struct StoreTable {
  struct Entry: Equatable {
    /// The store's own last revision in the hub; 0: there is no store.
    var hub: Revision = 0
    var type: ValueType?
    /// The revision of the key's last change; 0: there is no such key; nil: an earlier process has published it.
    var etcd: Int64? = 0
    /// The key's lease; 0: none, or unknown.
    var lease: Int64 = 0
  }

  private(set) var entries: [String: Entry] = [:]
  /// Keys without a store, and why.
  private(set) var hidden: [Data: String] = [:]

  /// A store's entry. Without one there is neither store nor key.
  subscript(name: String) -> Entry {
    get { entries[name] ?? Entry() }
    set { entries[name] = newValue == Entry() ? nil : newValue }
  }

  /// Starts with the hub's stores.
  init(_ stores: [StoreSummary] = []) {
    for store in stores {
      entries[store.name] = Entry(hub: store.revision, type: store.type, etcd: nil)
    }
  }

  /// The number of existing stores.
  var stores: Int { entries.values.count { $0.hub != 0 } }

  /// Notes why a key is not shown; nil: it is shown.
  ///
  /// - Returns: whether that has changed.
  mutating func hide(_ key: Data, because reason: String?) -> Bool {
    if hidden[key] == reason { return false }
    hidden[key] = reason
    return true
  }

  mutating func showAll() { hidden = [:] }
}
