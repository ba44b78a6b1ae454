// What the bridge knows of each key that it shows: the revision that was published, on both sides.

internal import FoundationEssentials
internal import HubClient

/// Bounded by the keys of the prefix.
struct StoreTable {
  struct Entry: Equatable {
    /// The store's own last revision in the hub; 0: there is no store.
    var hub: Revision = 0
    var type: ValueType?
    /// The revision at which the key was last changed, 0: there is no such key; nil: an earlier process has published it.
    var etcd: Int64? = 0
    /// The lease that the key ends with; 0: none, or it is not known.
    var lease: Int64 = 0
  }

  private(set) var entries: [String: Entry] = [:]
  /// Keys without a store, and why.
  private(set) var hidden: [Data: String] = [:]

  /// A store's entry. One that is not listed has neither store nor key.
  subscript(name: String) -> Entry {
    get { entries[name] ?? Entry() }
    set { entries[name] = newValue == Entry() ? nil : newValue }
  }

  /// Begins with what the hub has.
  init(_ stores: [StoreSummary] = []) {
    for store in stores {
      entries[store.name] = Entry(hub: store.revision, type: store.type, etcd: nil)
    }
  }

  /// The stores that there are.
  var stores: Int { entries.values.count { $0.hub != 0 } }

  /// Notes that a key is not shown, or that it is again.
  ///
  /// - Returns: whether this is news.
  mutating func hide(_ key: Data, because reason: String?) -> Bool {
    if hidden[key] == reason { return false }
    hidden[key] = reason
    return true
  }

  mutating func showAll() { hidden = [:] }
}
