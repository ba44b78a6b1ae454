// `statectl dump`: all stores at one revision. The hub streams them without keeping anything; the view grows here.

internal import HubCore

struct DumpCommand: HubCommand {
  private let patterns: [NamePattern]
  private let progress = Progress(of: .dump)

  init(_ words: CommandLineWords) throws(Failure) {
    var patterns: [NamePattern] = []
    for index in words.operands.indices { patterns.append(try words.pattern(index)) }
    self.patterns = patterns.isEmpty ? [.everything] : patterns
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    defer { progress.end() }
    client.progress = progress
    progress.begin("stores received", of: try count(&client))
    let watch = client.enqueue(.watch(patterns, schemas: true))
    guard case .watching(let start) = try client.receive(watch), let welcome = client.welcome else {
      throw .strangeAnswer
    }
    var view = DumpView()
    var revision: Revision?
    // A revision before the watch began is a `synced` of nothing.
    while revision.map({ $0 < start }) ?? true {
      revision = try view.take(try client.nextEvent()) ?? revision
      progress.advance(to: view.count)
    }
    let stores = view.dumped()
    let header = DumpHeader(
      epoch: welcome.epoch.description, revision: revision ?? start, stores: UInt64(stores.count))
    // On the same terminal the stores themselves show how far it is.
    if output.isTerminal { progress.end() } else { progress.begin("stores written", of: stores.count) }
    try output.json { $0.members(of: header) }
    for (index, store) in stores.enumerated() {
      progress.advance(to: index)
      try output.json { $0.members(of: store) }
    }
  }

  /// How many stores there will be, if somebody looks and that can be known.
  private func count(_ client: inout Client) throws(Failure) -> Int? {
    guard progress.pause != nil, patterns == [.everything],
      case .statistics(let figures) = try client.ask(.stats)
    else { return nil }
    return figures.first { $0.name == "stores" }.map { Int(clamping: $0.value) }
  }
}

/// What the hub has shown so far: the stores of one revision once it says `synced`.
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
  /// - Throws: `notSupported` if the hub does not tell schemas.
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
      throw .hub(HubError(.notSupported, "this hub does not tell schemas: it is too old to be dumped"))
    case .removed(_, let removal, _, _): stores[removal.id] = nil
    case .forget: stores = [:]
    case .synced(let revision): return revision
    case .resumed, .ended: break
    }
    return nil
  }

  /// The stores in the order of their names. A value that ends by itself is not worth keeping: what it goes back to stands in
  /// its place, if there is that.
  func dumped() -> [DumpedStore] {
    stores.values.compactMap { shown in
      guard let name = try? StoreName(shown.name) else { return nil }
      guard shown.isTransient else {
        return DumpedStore(name: name, schema: shown.schema, value: shown.value)
      }
      return shown.schema.initial.map { DumpedStore(name: name, schema: shown.schema, value: $0) }
    }.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }
}
