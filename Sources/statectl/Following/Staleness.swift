// Whether values can be trusted: the states of the providers of the printed stores, and what `--if-stale` does with them.

internal import HubCore

/// A class, so that a command without `--if-stale` does not create the types of its sets, which takes 114,000
/// instructions of a start.
final class Staleness {
  let isAsked: Bool
  /// Values that may be wrong are not printed: `unavailable`. Otherwise they are, with a note.
  private let fails: Bool
  private var claims = ClaimStatuses()
  /// The claims that were reported as stale.
  private var told: Set<String> = []
  private var isAway = false
  /// The stores that were not printed.
  private(set) var hasFailed = false

  /// - Throws: `usage`.
  init(_ words: CommandLineWords) throws(Failure) {
    let answer = try words.choice(.ifStale, "show", "fail")
    (isAsked, fails) = (answer != nil, answer == "fail")
  }

  // MARK: Reading

  /// Requests the current states. Requested before the values: a provider that is live then was live when the hub sent
  /// them.
  func read(_ client: inout Client) throws(Failure) {
    for store in try client.snapshot([ClaimStatus.pattern]) {
      claims.take(store.name.text, store.state.value)
    }
  }

  func take(_ store: String, _ value: Value) { claims.take(store, value) }

  func claim(of store: String) -> ClaimStatus? { claims.claim(of: store) }

  /// Reports the freshness of a value before it is printed.
  ///
  /// - Returns: whether it is.
  func lets(_ store: String, print output: inout Output) throws(Failure) -> Bool {
    guard isAsked, let claim = claims.claim(of: store), claim.state != .live else { return true }
    try output.flush()
    claim.problem(with: store).complain()
    hasFailed = hasFailed || fails
    return !fails
  }

  /// As a member of a store's JSON; only if requested.
  func member(_ writer: inout JSONWriter, of store: String) {
    guard isAsked else { return }
    guard let claim = claims.claim(of: store), claim.state != .live else {
      return writer.member("stale", orNull: nil)
    }
    writer.object("stale") {
      $0.member("provider", claim.name)
      $0.standing(of: claim)
    }
  }

  // MARK: Watching

  /// Applies an event of a watch, and reports what it changes for the watched stores.
  ///
  /// - Throws: `unavailable`, if that ends the watch.
  func follow(
    _ event: StoreEvent, of patterns: [NamePattern], to output: inout Output
  ) throws(Failure) {
    let before = claims[event.name]
    guard claims.take(event), let claim = claims[event.name] ?? before, claim.concerns(patterns) else {
      return
    }
    let isLive = claims[event.name].map { $0.state == .live } ?? true
    let stores = claim.stores.map(\.text).joined(separator: ", ")
    if !isLive, fails { throw claim.problem(with: stores) }
    let isNews = isLive ? told.remove(event.name) != nil : told.insert(event.name).inserted || before != claim
    guard isNews else { return }
    if output.isJSON {
      try output.json { writer in
        writer.member("kind", isLive ? "live" : "stale")
        writer.member("provider", claim.name)
        writer.standing(of: claim)
        writer.stores(of: claim)
      }
    } else {
      try output.flush()
      if isLive {
        complain("\(stores): live again (\(claim.name))")
      } else {
        claim.problem(with: stores).complain()
      }
    }
  }

  /// The hub is away, as reported on standard error, or is back.
  ///
  /// - Throws: the error, if that ends the watch.
  func follow(_ outage: HubError?, to output: inout Output) throws(Failure) {
    guard isAsked, (outage != nil) != isAway else { return }
    isAway = outage != nil
    if let outage, fails { throw .hub(outage) }
    guard output.isJSON else { return }
    try output.json { writer in
      writer.member("kind", isAway ? "unreachable" : "reachable")
      if let outage { writer.member("reason", outage.message) }
    }
  }
}

extension ClaimStatus {
  /// Why a value of its stores is not printed, or cannot be trusted.
  fileprivate func problem(with stores: String) -> Failure {
    let since = staleSince.map { " since \(TimeText.human($0))" } ?? ""
    return .hub(HubError(.unavailable, store: stores, "stale\(since): \(reason) (\(name))"))
  }

  fileprivate func concerns(_ patterns: [NamePattern]) -> Bool {
    stores.contains { store in patterns.contains { $0.meets(store) } }
  }
}

extension JSONWriter {
  /// The state of a provider.
  mutating func standing(of claim: ClaimStatus) {
    member("state", claim.state.rawValue)
    if let since = claim.staleSince { member("staleSince", TimeText.rfc3339(since)) }
    if !claim.reason.isEmpty { member("reason", claim.reason) }
  }

  /// The stores that it provides.
  mutating func stores(of claim: ClaimStatus) {
    array("stores", of: claim.stores) { $0.string($1.text) }
  }
}
