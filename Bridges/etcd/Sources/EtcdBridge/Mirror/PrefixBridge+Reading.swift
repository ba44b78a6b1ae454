// All keys at one revision, and each revision after that, on their way into the hub.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// Publishes all keys as they are at one revision. What the hub has and etcd has not is removed.
  func readAll(_ hub: Hub) async throws {
    let start = ContinuousClock.now
    // From here on until the end the values are of no one revision.
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
    // What was under way is in it, or not: it is not told which.
    for (_, write) in pending { write.isOver = true }
    pending = [:]
    seen = pages.revision
    try await publish([], .written, hub)
    report.count(\.snapshots)
    report.snapshot(mapping.base, keys: table.stores, hidden: table.hidden.count, ContinuousClock.now - start)
  }

  /// One step of what etcd tells.
  func take(_ step: EtcdWatchStep, _ hub: Hub) async throws {
    guard case .revision(let revision) = step, revision.number > seen else { return }
    let changes = revision.events.compactMap { event in
      change(event.keyValue.key, event.isDeletion ? nil : event.keyValue)
    }
    let (ticket, told) = (ownKeys.ticket(in: revision), Anchor(revision))
    isPublishing = true
    defer {
      isPublishing = false
      changed()
    }
    if let ticket, let write = pending[ticket] {
      try await accept(write, changes, at: told, hub)
      pending[ticket] = nil
      write.isOver = true
    } else {
      // Before it counts as published: what is written down with it says that it is.
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

  /// What becomes of a key in the hub; nil: nothing.
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
