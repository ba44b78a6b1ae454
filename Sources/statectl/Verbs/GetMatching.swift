// `statectl get` with globs: all that match, as they are at one revision, which a watch tells before its first `synced`.

internal import HubCore

struct GetMatchingCommand: HubCommand {
  private let patterns: [NamePattern]
  private let fallback: Argument?
  private let printsRevision: Bool
  private let json: Bool
  private let staleness: Staleness

  init(_ words: CommandLineWords) throws(Failure) {
    staleness = try Staleness(words)
    var patterns: [NamePattern] = []
    for index in words.operands.indices { patterns.append(try words.pattern(index)) }
    self.patterns = patterns
    fallback = words.argument(.default)
    printsRevision = words.has(.showRevision)
    json = words.has(.json)
  }

  /// Prints what each operand stands for, then fails with `noSuchStore` if one stands for nothing.
  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    let stores = try client.snapshot(patterns + (staleness.isAsked ? [ClaimStatus.pattern] : []))
    for store in stores { staleness.take(store.name.text, store.state.value) }
    var isMissing = false
    for pattern in patterns {
      let matching = stores.filter { pattern.matches($0.name) }
      for store in matching where try staleness.lets(store.name.text, print: &output) {
        try show(store.name.text, store.state, staleness, to: &output)
      }
      guard matching.isEmpty else { continue }
      if pattern.isLiteral, let fallback {
        try show(default: fallback, pattern.text, to: &output)
      } else {
        isMissing = true
        try output.flush()
        let reason = pattern.isLiteral ? "there is no such store: set or create it first" : "no store matches"
        Failure.hub(HubError(.noSuchStore, store: pattern.text, reason)).complain()
      }
    }
    if staleness.hasFailed { throw .status(ExitStatus.unavailable) }
    if isMissing { throw .status(ExitStatus.noSuchStore) }
  }

  private func show(
    _ name: String, _ state: StoreState, _ staleness: Staleness, to output: inout Output
  ) throws(Failure) {
    if json {
      return try output.json {
        $0.members(of: state, named: name)
        staleness.member(&$0, of: name)
      }
    }
    try line(name, state.revision, ValueText.line(state.value), to: &output)
  }

  private func show(default value: Argument, _ name: String, to output: inout Output) throws(Failure) {
    if json { return try output.json(default: value, name) }
    try line(name, 0, ValueText.shown(.data(value.bytes)), to: &output)
  }

  private func line(
    _ name: String, _ revision: Revision, _ value: String, to output: inout Output
  ) throws(Failure) {
    try output.line("\(name)\t" + (printsRevision ? "\(revision)\t" : "") + value)
  }
}

extension Client {
  /// How much a hub may send as an answer: it may be another one than the user thinks.
  private static var longestSnapshot: Int { 256 << 20 }

  /// All stores that match, as they are at one revision, by name.
  ///
  /// - Throws: `tooLarge` if they are longer than `longestSnapshot`; what the hub refuses.
  mutating func snapshot(
    _ patterns: [NamePattern]
  ) throws(Failure) -> [(name: StoreName, state: StoreState)] {
    guard case .watching(let start) = try ask(.watch(patterns)) else { throw .strangeAnswer }
    var view = WatchView()
    _ = view.open(epoch: welcome?.epoch ?? Epoch(high: 0, low: 0))
    var room = Client.longestSnapshot
    // A revision before the watch began is a `synced` of nothing.
    while true {
      let event = try nextEvent()
      if let news = view.apply(event), let value = news.value { room -= news.name.utf8.count + value.size }
      guard room > 0 else {
        throw .hub(
          HubError(
            .tooLarge,
            "what matches is longer than \(Client.longestSnapshot >> 20) MiB: name fewer stores, or use dump")
        )
      }
      if case .synced(let revision) = event, revision >= start { break }
    }
    return view.introduction().compactMap { event in
      guard let name = try? StoreName(event.name), let state = view.state(of: event.name) else { return nil }
      return (name, state)
    }.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }
}

extension Value {
  /// About what it takes in memory, with its store.
  fileprivate var size: Int {
    switch self {
    case .string(let text), .json(let text): 128 + text.utf8.count
    case .data(let bytes): 128 + bytes.count
    case .integer, .double, .boolean: 128
    }
  }
}

extension Output {
  /// What is printed of a store that does not exist, but has a default.
  mutating func json(default argument: Argument, _ name: String) throws(Failure) {
    let value = try ValueSyntax.inferred(argument, store: name, brokenIsText: true)
    try json {
      $0.member("name", name)
      $0.member("value", value)
      $0.member("type", value.type.description)
      $0.member("revision", 0 as Revision)
    }
  }
}
