// A dump while it is received: the stores that the hub has shown, up to the revision of its `synced`.

internal import HubCore

struct DumpView {
  private struct Shown {
    var name: String
    var schema: Schema
    var version: UInt64
    var value: Value
    var isTransient: Bool
  }

  private var stores: [StoreID: Shown] = [:]
  var count: Int { stores.count }

  /// - Returns: the revision of a `synced`.
  /// - Throws: `notSupported` if the hub does not send schemas.
  mutating func take(_ event: HubEvent) throws(Failure) -> Revision? {
    switch event {
    case .created(let name, let schema, let state, _, _, let transient):
      if let known = stores[state.id], known.version > state.version { return nil }
      stores[state.id] = Shown(
        name: name, schema: schema, version: state.version, value: state.value, isTransient: transient)
    case .change(let state, _, _):
      guard let known = stores[state.id], known.version < state.version else { return nil }
      stores[state.id]?.version = state.version
      stores[state.id]?.value = state.value
    case .current:
      throw .hub(HubError(.notSupported, "this hub does not send schemas: it is too old for dump"))
    case .removed(_, let removal, _, _): stores[removal.id] = nil
    case .forget: stores = [:]
    case .synced(let revision): return revision
    case .resumed, .ended, .forward, .withdraw, .ask: break
    }
    return nil
  }

  /// The stores in the order of their names. A value that expires is not kept: it is replaced by the value that its
  /// store returns to, if there is one.
  func dumped() -> [DumpedStore] {
    stores.values.compactMap { shown in
      // The hub's own stores describe its current state.
      guard let name = try? StoreName(shown.name), !name.isReserved else { return nil }
      guard shown.isTransient else {
        return DumpedStore(name: name, schema: shown.schema, value: shown.value)
      }
      return shown.schema.initial.map { DumpedStore(name: name, schema: shown.schema, value: $0) }
    }.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }
}
