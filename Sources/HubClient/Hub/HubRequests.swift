// The requests about the hub, or about stores by name, one method each. Values have handles: `SharedValue`.

public import HubCore
internal import HubTransport

extension Hub {
  /// Checks that the hub answers.
  ///
  /// - Returns: the hub's revision.
  @discardableResult
  public func ping() async throws(HubError) -> Revision {
    let answer = try await perform(.ping)
    guard case .pong(let revision) = answer.reply else { throw Hub.unexpected(answer) }
    return revision
  }

  /// Gives up rights for good: from now on the hub refuses this Hub's other requests with `denied`, even after it reconnects.
  ///
  /// Restricted to `reading`, a program can hand the Hub to code that it trusts less: the code can read and watch, but change
  /// nothing. Restricted to `nothing`, a Hub keeps its ephemeral values, streams and claims alive until its connection is lost.
  /// A Hub can give up more rights later.
  ///
  /// - Throws: `denied` if the Hub has given up more before; and what every request throws: then it may still be able to do more
  ///   until it reconnects.
  public func restrict(to restriction: Restriction) async throws(HubError) {
    let limit = limit
    // First, because siblings that are made from now on inherit it.
    driver.withCore { core, _ in core.restrict(to: restriction) }
    let siblings = siblings
    for hub in siblings { hub.driver.withCore { core, _ in core.restrict(to: restriction) } }
    for hub in [self] + siblings {
      let answer = try await hub.perform(.restrict(restriction), until: limit)
      guard case .restricted = answer.reply else { throw Hub.unexpected(answer) }
    }
  }

  /// The stores whose names match, sorted by name. They are fetched in pages: stores created or removed in the meantime may
  /// or may not be included.
  ///
  /// - Throws: `invalidPattern`, and what every request throws.
  public func list(_ pattern: String = "**") async throws(HubError) -> [StoreSummary] {
    try await list(pattern, until: limit)
  }

  func list(_ pattern: String, until limit: Deadline) async throws(HubError) -> [StoreSummary] {
    let pattern = try NamePattern(pattern)
    var stores: [StoreSummary] = []
    while true {
      let answer = try await perform(
        .list(pattern, after: stores.last?.name ?? ""), until: limit)
      guard case .listed(let page, let more) = answer.reply else { throw Hub.unexpected(answer) }
      // A page that does not continue after the previous one would repeat forever.
      if let first = page.first, let last = stores.last, first.name <= last.name {
        throw Hub.unexpected(answer)
      }
      stores += page
      if !more || page.isEmpty { return stores }
    }
  }

  /// Everything about one store.
  ///
  /// - Throws: `noSuchStore`, `invalidName`, and what every request throws.
  public func describe(_ name: String) async throws(HubError) -> StoreDescription {
    let answer = try await perform(.describe(.name(StoreName(name))))
    guard case .described(let description) = answer.reply else { throw Hub.unexpected(answer) }
    return description
  }

  /// Creates a store, or gives it a new schema, which its value must fit.
  ///
  /// - Parameter ifAbsent: fail with `conflict` if the store exists.
  /// - Throws: `invalidName`, `invalidSchema`, `schemaConflict`, `declared`, and what every request throws.
  @discardableResult
  public func create(
    _ name: String, _ schema: Schema, ifAbsent: Bool = false
  ) async throws(HubError) -> WriteResult {
    try await write(.create(StoreName(name), schema, ifAbsent: ifAbsent))
  }

  /// The hub's connections.
  public func clients() async throws(HubError) -> [Connection] {
    let limit = limit
    var clients: [Connection] = []
    while true {
      let answer = try await perform(.clients(after: clients.last?.session ?? -1), until: limit)
      guard case .clients(let page, let more) = answer.reply else { throw Hub.unexpected(answer) }
      if let first = page.first, let last = clients.last, first.session <= last.session {
        throw Hub.unexpected(answer)
      }
      clients += page
      if !more || page.isEmpty { return clients }
    }
  }

  /// The hub's counters.
  public func stats() async throws(HubError) -> [Counter] {
    let answer = try await perform(.stats)
    guard case .statistics(let statistics) = answer.reply else { throw Hub.unexpected(answer) }
    return statistics
  }

  func write(
    _ operation: WriteOperation, until limit: Deadline? = nil
  ) async throws(HubError) -> WriteResult {
    let sent = send(.write(operation), until: limit)
    await sent.wait()
    return try sent.written()
  }
}
