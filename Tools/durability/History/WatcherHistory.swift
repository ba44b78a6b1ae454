// One watcher's events, as a client by the protocol's page understands them: what it is shown never goes back, names no two
// changes alike, and is whole at every `synced`.

import HubCore

struct WatcherHistory {
  private let source: String
  private struct Known {
    var name: String
    var mark: Mark
    var cell: Cell?
    /// The hub that has shown it.
    var pid: UInt32
  }
  private var pid: UInt32 = 0
  private var stores: [UInt64: Known] = [:]
  private var pattern = NamePattern.everything
  private var bookmark: UInt64?
  /// The bookmark that the open watch was opened with.
  private var asked: UInt64?
  private var revision: UInt64 = 0
  private var syncs = 0

  init(_ name: String) { source = "watcher \(name)" }

  mutating func take(_ record: Record, _ truth: inout Truth, _ counts: inout Checker.Counts) {
    switch record {
    case .connected(let epoch, let revision, let pid):
      self.pid = pid
      counts.connections += 1
      truth.note(epoch: epoch, source)
      if revision < self.revision {
        truth.report(.regress, source, "welcome tells revision \(revision) after \(self.revision)")
      }
    case .lost: syncs = 0
    case .opened(let text, let bookmark):
      asked = bookmark
      pattern = (try? NamePattern(text)) ?? .everything
      if bookmark == nil { stores = [:] }
    case .resumed(let revision):
      counts.resumes += 1
      if revision != asked {
        truth.report(.regress, source, "resumed at \(revision), asked for \(asked ?? 0)")
      }
    case .forget(let epoch, _):
      truth.note(epoch: epoch, source)
      stores = [:]
      bookmark = nil
    case .shown(let sight): show(sight, &truth, &counts)
    case .removed(let name, let mark):
      counts.events += 1
      see(mark, token: nil, &truth)
      if let known = stores[mark.id], known.mark.version < mark.version {
        if known.name != name { truth.report(.damagedValue, source, "\(known.name) was removed as \(name)") }
        stores[mark.id] = nil
      }
    case .synced(let revision): sync(revision, &truth, &counts)
    case .observed, .sent, .acknowledged, .refused: truth.report(.malformedHistory, source, record.line)
    }
  }

  private mutating func see(_ mark: Mark, token: Int64?, _ truth: inout Truth) {
    revision = max(revision, mark.revision)
    truth.claim(mark, token: token, source)
  }

  private mutating func show(_ sight: Sight, _ truth: inout Truth, _ counts: inout Checker.Counts) {
    counts.events += 1
    let name = sight.name.isEmpty ? stores[sight.mark.id]?.name ?? "" : sight.name
    if name == Places.counter {
      see(sight.mark, token: nil, &truth)
    } else {
      guard let cell = sight.cell else {
        return truth.report(.damagedValue, source, "\(name), revision \(sight.mark.revision)")
      }
      see(sight.mark, token: cell.token, &truth)
      if !name.isEmpty, !Places.isVolatile(name) { truth.show(cell.token, source) }
    }
    // A change of a store that is not known belongs to nobody.
    guard !name.isEmpty else { return }
    if let known = stores[sight.mark.id] {
      if known.mark.version == sight.mark.version, known.cell != sight.cell {
        truth.report(.reusedVersion, source, "\(name): version \(sight.mark.version) has two values")
      }
      guard known.mark.version < sight.mark.version else { return }
    }
    for (id, known) in stores where known.name == name && id != sight.mark.id { stores[id] = nil }
    stores[sight.mark.id] = Known(name: name, mark: sight.mark, cell: sight.cell, pid: pid)
  }

  private mutating func sync(_ revision: UInt64, _ truth: inout Truth, _ counts: inout Checker.Counts) {
    if let bookmark, revision < bookmark {
      truth.report(.regress, source, "synced \(revision) behind \(bookmark)")
    }
    // Right after resuming the view can be ahead of its bookmark.
    let isAhead = stores.values.contains { $0.mark.revision > revision }
    if !isAhead || bookmark == nil { bookmark = revision }
    self.revision = max(self.revision, revision)
    syncs += 1
    if isAhead {
      if asked == nil { truth.report(.regress, source, "synced \(revision), and the view is ahead of it") }
      return
    }
    // The first views of a connection, and now and then one more.
    guard syncs <= 3 || syncs % 16 == 0 else { return }
    counts.checkedViews += 1
    for known in stores.values where known.pid != pid && Places.isVolatile(known.name) {
      truth.report(.survivingVolatile, source, "the end of \(known.name) with its hub was not told")
    }
    check(at: revision, &truth)
  }

  private func check(at revision: UInt64, _ truth: inout Truth) {
    var view: [String: Known] = [:]
    for known in stores.values { view[known.name] = known }
    for name in truth.acknowledged.keys {
      guard let store = try? StoreName(name), pattern.matches(store),
        let last = truth.last(name, upTo: revision)
      else { continue }
      if let known = view[name] {
        if known.mark.revision < last.revision {
          truth.report(
            .gap, source,
            "at \(revision) \(name) is of \(known.mark.revision), and \(last.revision) was acknowledged")
        }
      } else if !last.isRemoval, !(truth.openRemovals[name]?.contains { $0 > last.step } ?? false) {
        truth.report(.gap, source, "at \(revision) there is no \(name), set at \(last.revision)")
      }
    }
    let pair = Places.pair.map { view[$0]?.cell }
    if Places.pair.allSatisfy({ (try? StoreName($0)).map(pattern.matches) ?? false }), pair[0] != pair[1] {
      truth.report(.halfTransaction, source, "at \(revision): \(pair.map { $0?.description ?? "absent" })")
    }
  }
}
