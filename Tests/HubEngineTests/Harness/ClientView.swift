// A client written as the protocol page says: it follows the events of one connection, and records every broken promise.

import HubCore
import HubEngine

struct ClientView {
  struct Known: Equatable {
    var name: String
    var version: UInt64
    var revision: UInt64
    var value: Value
    /// As last told.
    var schema: Schema?
  }

  /// What it watches, by the watch request's number.
  var watches: [UInt32: (patterns: [NamePattern], policy: WatchPolicy)] = [:]
  var known: [StoreID: Known] = [:]
  var names: [StoreID: String] = [:]
  var epoch: Epoch?
  /// Everything up to here was seen: the revision of the last `synced`, or the one before that of a later event.
  var bookmark: UInt64 = 0
  /// No snapshot is in progress: `synced` has covered everything that was asked for.
  var isSynced = false
  var skipped: UInt64 = 0
  var events = 0
  var forgets = 0
  /// Until the next `synced`, changes after the bookmark from before the connection was lost may be repeated.
  var isResuming = false
  /// Every gap counts as a broken promise.
  var expectsEvery = false
  var problems: [String] = []
  /// Reads the hub's true history.
  var stateAt: (UInt64) -> [String: ShownStore]? = { _ in nil }
  /// What the access rules let it see.
  var mayRead: (String) -> Bool = { _ in true }
  /// Its watches ask for schemas: `created` replaces `current`.
  var wantsSchemas = false
  /// What its watches leave out: a deadband or a condition.
  var filter: WatchFilter?
  private var lastChange: UInt64 = 0
  private var newest: UInt64 = 0
  private var opening: [UInt32: (patterns: [NamePattern], policy: WatchPolicy)] = [:]
  private var ending: [UInt32: UInt32] = [:]
  /// It watches, or has asked to.
  var asksToWatch: Bool { !watches.isEmpty || !opening.isEmpty }

  /// A request was sent; it counts from its reply on.
  mutating func willSend(_ request: Request, _ id: UInt32) {
    if case .watch(let patterns, let policy, _, _, _) = request { opening[id] = (patterns, policy) }
    if case .unwatch(let watch) = request { ending[id] = watch }
  }

  mutating func didReceive(_ reply: Reply, _ id: UInt32) {
    // A refused one is not opening any more.
    if let watch = opening.removeValue(forKey: id), case .watching = reply {
      watches[id] = watch
      isSynced = false
    }
    if case .unwatched = reply, let watch = ending.removeValue(forKey: id) {
      watches[watch] = nil
      known = known.filter { follows($0.value.name) }
    }
  }

  func follows(_ name: String) -> Bool {
    guard mayRead(name), let name = try? StoreName(name) else { return false }
    return watches.values.contains { $0.patterns.contains { $0.matches(name) } }
  }

  mutating func read(_ event: HubEvent) {
    events += 1
    switch event {
    case .created(let name, let schema, let state, _, let more, _):
      names[state.id] = name
      update(state, schema, isCurrent: wantsSchemas)
      group(state.revision, more)
    case .change(let state, _, let more):
      update(state, isCurrent: false)
      group(state.revision, more)
    case .current(let name, let state):
      names[state.id] = name
      update(state, isCurrent: true)
    case .removed(let name, let removal, _, let more):
      if known[removal.id] == nil, !mayRead(name) {
        problems.append("Concealed: \(name), which it may not see, was removed")
      }
      if known[removal.id] != nil, known[removal.id]!.version >= removal.version {
        problems.append("Unique: \(name) was removed at a version that was seen before")
      }
      if !isResuming || known[removal.id].map({ $0.version < removal.version }) ?? true {
        known[removal.id] = nil
      }
      group(removal.revision, more)
    case .synced(let revision) where isResuming && revision < newest:
      // The view is ahead: it was shown more than its bookmark says.
      break
    case .synced(let revision):
      if revision < bookmark { problems.append("Ordered: synced \(revision) after \(bookmark)") }
      bookmark = revision
      isSynced = true
      isResuming = false
      check(at: revision)
    case .resumed(let revision):
      if revision != bookmark { problems.append("Resumable: resumed at \(revision), bookmark \(bookmark)") }
    case .forget(let epoch, _):
      self.epoch = epoch
      known = [:]
      isSynced = false
      forgets += 1
      newest = 0
      bookmark = 0
    case .ended, .forward, .withdraw, .ask: break
    }
  }

  /// The hub sends in the order of revisions: an event shows that everything before it was sent.
  private mutating func note(_ revision: UInt64) {
    newest = max(newest, revision)
    if isSynced { bookmark = max(bookmark, revision - 1) }
  }

  /// With every change in order, the frames of one transaction are consecutive.
  private mutating func group(_ revision: UInt64, _ more: Bool) {
    note(revision)
    if expectsEvery, !isResuming, revision < lastChange {
      problems.append("Ordered: a change of revision \(revision) after one of \(lastChange)")
    }
    lastChange = revision
  }

  private mutating func update(_ state: StoreState, _ schema: Schema? = nil, isCurrent: Bool) {
    note(state.revision)
    guard let name = names[state.id] else {
      problems.append("Race-free: a change of store \(state.id), whose name was never told")
      return
    }
    if !follows(name) { problems.append("an event about \(name), which is not watched") }
    if isResuming, let last = known[state.id], state.version <= last.version { return }
    if let last = known[state.id] {
      if state.version < last.version || (state.version == last.version && !isCurrent) {
        problems.append("Unique: \(name) version \(state.version) after \(last.version)")
      }
      if state.version > last.version {
        skipped += state.version - last.version - 1
        if expectsEvery, state.version > last.version + 1 {
          problems.append("every: \(name) went from version \(last.version) to \(state.version)")
        }
      }
      if state.revision < last.revision { problems.append("Ordered: \(name) went back to \(state.revision)") }
    }
    known[state.id] = Known(
      name: name, version: state.version, revision: state.revision, value: state.value,
      schema: schema ?? known[state.id]?.schema)
  }

  var view: [String: Value] {
    var view: [String: Value] = [:]
    for store in known.values where follows(store.name) { view[store.name] = store.value }
    return view
  }

  /// Whether the view is that state, as far as the filter says.
  func shows(_ state: [String: Value]) -> Bool {
    let view = view
    guard let filter else { return view == state }
    return view.keys == state.keys
      && view.allSatisfy { name, shown in
        guard let value = state[name], shown != value else { return true }
        if let deadband = filter.deadband { return !deadband.isLeft(from: shown, to: value) }
        let holds = filter.condition?.holds(for: value)
        return holds != nil && holds == filter.condition?.holds(for: shown)
      }
  }

  /// Checks that the view is the hub's state at `revision`, as far as it is watched.
  mutating func check(at revision: UInt64) {
    guard let state = stateAt(revision) else {
      problems.append("Atomic: synced at \(revision), a revision that never was")
      return
    }
    for store in known.values where !mayRead(store.name) {
      problems.append("Concealed: at \(revision) it still has \(store.name), which it may not see")
    }
    let expected = state.filter { follows($0.key) }
    if !shows(expected.mapValues(\.value)) {
      problems.append("Atomic: at \(revision) the view is \(view), the state was \(expected)")
    }
    guard wantsSchemas else { return }
    for store in known.values where store.schema != expected[store.name]?.schema && follows(store.name) {
      let was = "\(expected[store.name]?.schema, default: "none")"
      problems.append(
        "schemas: \(store.name) at \(revision) has \(store.schema, default: "none"), it was \(was)")
    }
  }
}
