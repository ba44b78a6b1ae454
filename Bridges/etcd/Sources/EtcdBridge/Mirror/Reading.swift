// Publishing all keys at one revision, and each later revision.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// Publishes all keys as they are at one revision, and removes the stores of missing keys.
  func readAll(_ hub: Hub) async throws {
    let start = ContinuousClock.now
    // Until the end, the values are from different revisions.
    try await publish([], .removed, hub)
    table.showAll()
    var gone = Set(table.entries.filter { $0.value.hub != 0 }.keys)
    var pages = etcd.pages(EtcdRange(.prefix(mapping.prefix), limit: 16))
    while let page = try await pages.next(about: Pace.page) {
      let changes = page.keyValues.compactMap { change($0.key, $0) }
      for change in changes { gone.remove(change.name) }
      try await publish(changes, .untouched, hub)
    }
    let removals = gone.compactMap { name in
      Change(key: mapping.key(of: name) ?? Data(), name: name, now: nil)
    }
    try await publish(removals, .untouched, hub)
    // Changes under way are part of it or not, and etcd does not report which.
    abandonPending()
    seen = pages.revision
    try await publish([], .written, hub)
    report.count(\.snapshots)
    report.snapshot(mapping.base, keys: table.stores, hidden: table.hidden.count, ContinuousClock.now - start)
  }

  /// Publishes one step of the watch.
  func take(_ step: EtcdWatchStep, _ hub: Hub) async throws {
    guard case .revision(let revision) = step, revision.number > seen else { return }
    let changes = revision.events.compactMap { event in
      change(event.keyValue.key, event.isDeletion ? nil : event.keyValue)
    }
    let told = Anchor(revision)
    isPublishing = true
    defer {
      isPublishing = false
      changed()
    }
    if let ticket = try await ticket(of: revision, changes), let write = pending[ticket] {
      try await accept(write, changes, at: told, hub)
      pending[ticket] = nil
      write.end = .decided
    } else {
      // Before the publication, because the record in it has this revision.
      let before = (seen, anchor)
      (seen, anchor) = (told.revision, told)
      do {
        if !changes.isEmpty { try await publish(changes, .written, hub) }
      } catch {
        (seen, anchor) = before
        throw error
      }
    }
    report.seen(mapping.base, seen)
  }

  /// Which of this process's changes a revision is; nil: it is another's.
  ///
  /// A removal without a ticket is recognised by its revision, and the watch may be quicker than the answer that has it.
  private func ticket(of revision: EtcdRevision, _ changes: [Change]) async throws -> UInt64? {
    if let ticket = ownKeys.ticket(in: revision) { return ticket }
    let removed = Set(changes.lazy.filter { $0.now == nil }.map(\.name))
    for (ticket, open) in pending where !open.hasTicket && !open.plan.names.isDisjoint(with: removed) {
      _ = await wait(until: .now + Pace.write + .seconds(1)) { open.revision != nil }
      try Task.checkCancellation()
      if open.revision == revision.number { return ticket }
    }
    return nil
  }

  /// A key's change as one of a store; nil: it has none.
  func change(_ key: Data, _ now: EtcdKeyValue?) -> Change? {
    switch mapping.place(of: key) {
    case .own: return nil
    case .store(let name): return Change(key: key, name: name, now: now)
    case .unmappable(let reason):
      hide(key, because: now == nil ? nil : reason)
      return nil
    }
  }

  func hide(_ key: Data, because reason: String?) {
    if table.hide(key, because: reason), let reason {
      report.hidden(mapping.base, String(decoding: key, as: UTF8.self), reason)
    }
    report.set(\.hidden, of: mapping.base, table.hidden.count)
  }
}
