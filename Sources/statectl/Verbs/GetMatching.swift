// `statectl get` with globs: all matching stores at one revision, which a watch sends before its first `synced`.

internal import HubCore

extension Get {
  /// Prints the stores of each operand, then fails with `noSuchStore` if one matches none.
  static func matching(_ words: CommandLineWords) throws(Failure) -> HubCommand {
    let patterns = try words.patterns()
    var printer = try ValuePrinter(words, isAlone: false)
    return { client, output throws(Failure) in
      let staleness = printer.staleness
      let stores = try client.snapshot(patterns + (staleness.isAsked ? [ClaimStatus.pattern] : []))
      for store in stores { staleness.take(store.name.text, store.state.value) }
      for pattern in patterns {
        let matching = stores.filter { pattern.matches($0.name) }
        for store in matching { try printer.show(store.name.text, store.state, to: &output) }
        guard matching.isEmpty else { continue }
        let reason =
          pattern.isLiteral ? "there is no such store: set or create it first" : "no store matches"
        try printer.miss(
          pattern.text, .hub(HubError(.noSuchStore, store: pattern.text, reason)),
          takesDefault: pattern.isLiteral, to: &output)
      }
      try printer.finish()
    }
  }
}

extension Client {
  /// All stores that match, as they are at one revision, by name.
  ///
  /// - Throws: `tooLarge` if they are longer than `SnapshotRoom.least`; what the hub refuses.
  mutating func snapshot(
    _ patterns: [NamePattern]
  ) throws(Failure) -> [(name: StoreName, state: StoreState)] {
    guard case .watching(let start) = try ask(.watch(patterns)) else { throw .unexpectedReply }
    var view = WatchView()
    _ = view.open(epoch: welcome?.epoch ?? Epoch(high: 0, low: 0))
    var room = SnapshotRoom(advice: "name fewer stores, or use dump")
    // A `synced` from before the watch began covers none of its stores.
    while true {
      let event = try nextEvent()
      try room.take(event)
      _ = view.apply(event)
      if case .synced(let revision) = event, revision >= start { break }
    }
    return view.introduction().compactMap { event in
      guard let name = try? StoreName(event.name), let state = view.state(of: event.name) else { return nil }
      return (name, state)
    }.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }
}
