// One stream as a program sees it, checked event by event against what truly happened. It moves nothing.

import HubCore

@testable import HubClient

/// Broken promises are told by their names: Ordered, Unique, Atomic, Race-free, Resumable, Honest, Latest.
final class SimulatedStream {
  let stream: EventStream
  let content: EventStream.Content
  /// No change may be skipped: everybody asks for every change, and there is room for all of them.
  let expectsEvery: Bool
  private let past: Past

  private var epoch: Epoch?
  private var view: [String: Value] = [:]
  /// The true number of the last event delivered about each name in this epoch.
  private var delivered: [String: Int] = [:]
  /// Names whose last event may have been one of several.
  private var ambiguous: Set<String> = []
  /// The newest revision of an event about a store, since the last `reset`.
  private var newest: Revision = 0
  private var syncedAt: Revision?
  private var wasSyncedOnce = false
  /// Names whose values may be shown again as `initial`.
  private var isIntroducing = true
  private var hasReset = false
  /// Until the next `synced`: the order of different stores' events is not that of their revisions.
  private var isCatchingUp = true
  private(set) var problems: [String] = []
  /// Everything that was delivered, in short.
  private var history: [String] = []

  init(
    _ key: WatchKey, _ policy: StreamPolicy, _ content: EventStream.Content, _ past: Past, expectsEvery: Bool
  ) {
    stream = EventStream(key: key, policy: policy, content: content)
    self.content = content
    self.past = past
    self.expectsEvery = expectsEvery
  }

  func matches(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { stream.key.matches(ByteView(UnsafeRawBufferPointer($0))) }
  }

  /// Takes up to `count` events.
  ///
  /// - Returns: the error that the stream ended with.
  @discardableResult
  func take(_ count: Int) -> HubError? {
    do throws(HubError) {
      for _ in 0..<count {
        guard case .event(let shared) = try stream.take() else { return nil }
        check(shared.event)
      }
      return nil
    } catch {
      return error
    }
  }

  private func fail(_ promise: String, _ event: StoreEvent, _ what: String) {
    let key = stream.key.patterns.map(\.text).joined(separator: " ")
    problems.append(
      "\(promise): \(what); \(key), \(stream.policy), \(content): \(history.suffix(12).joined(separator: ", "))"
    )
  }

  private func check(_ event: StoreEvent) {
    history.append(
      "\(event.kind) \(event.name)@\(event.revision) v\(event.version) skipped \(event.skipped.map(String.init) ?? "?")\(event.isWhole ? " whole" : "")"
    )
    if event.epoch != epoch {
      if epoch != nil, !view.isEmpty || syncedAt != nil, event.kind != .reset, content == .events {
        fail("Honest", event, "a new epoch without reset")
      }
      epoch = event.epoch
      delivered = [:]
      newest = 0
      syncedAt = nil
      isIntroducing = true
      if content == .values { view = [:] }
    }
    switch event.kind {
    case .initial, .changed, .removed: checkStore(event)
    case .synced:
      if event.revision < syncedAt ?? 0 { fail("Ordered", event, "synced at \(syncedAt!) before") }
      if event.revision < newest { fail("Ordered", event, "synced behind \(newest)") }
      syncedAt = event.revision
      wasSyncedOnce = true
      isCatchingUp = false
      isIntroducing = false
      checkWhole(event)
    case .resumed: isCatchingUp = true
    case .reset:
      isCatchingUp = true
      view = [:]
      newest = 0
      syncedAt = nil
      isIntroducing = true
      hasReset = true
    }
  }

  private func checkStore(_ event: StoreEvent) {
    let name = event.name
    if !matches(name) { return fail("Ordered", event, "not watched") }
    let era = past[event.epoch]
    let last = delivered[name]
    // A snapshot, and what is made up for, come pattern by pattern.
    if event.revision < newest, !isCatchingUp { fail("Ordered", event, "after one of revision \(newest)") }
    newest = max(newest, event.revision)
    // What a reset made the program forget may be shown again.
    let start = event.kind == .initial ? 0 : last.map { $0 + 1 } ?? 0
    let candidates = era.indices(of: name, event.revision, event.version, event.kind == .removed, from: start)
    guard var index = candidates.first else {
      return fail("Unique", event, "no such change behind number \(last ?? -1) of \(era.changes[name] ?? [])")
    }
    // Two stores of that name may have had the same version within one transaction.
    if candidates.count > 1, let skipped = event.skipped, let base = base(of: name, era, last) {
      index = candidates.first { $0 == base + Int(skipped) + 1 } ?? index
    }
    if !ambiguous.contains(name) { checkSkipped(event, era, index, last) }
    if last == nil, candidates.count > 1 { ambiguous.insert(name) } else { ambiguous.remove(name) }
    delivered[name] = index
    if content == .events {
      if event.kind == .initial, !isIntroducing { fail("Race-free", event, "initial behind synced") }
      // Its value may have been skipped, if that is said.
      if event.kind == .removed, last == nil, event.skipped == 0 {
        fail("Honest", event, "removed, and was not shown")
      }
    }
    view[name] = event.value
    if event.isWhole { checkWhole(event) }
  }

  /// The change that was known before: the last delivered, or the last before the last `synced`.
  private func base(of name: String, _ era: Era, _ last: Int?) -> Int? {
    let atSync = syncedAt.map { era.count(of: name, at: $0) - 1 }
    return last.map { max($0, atSync ?? $0) } ?? atSync
  }

  private func checkSkipped(_ event: StoreEvent, _ era: Era, _ index: Int, _ last: Int?) {
    // Values alone do not tell what was removed.
    guard content == .events else { return }
    let base = base(of: event.name, era, last)
    guard let skipped = event.skipped else {
      if let base, !hasReset, index > base {
        let isBroken = era.changes[event.name]![max(0, base)...index].contains(where: \.isRemoval)
        if !isBroken { fail("Honest", event, "skipped is unknown without a reason") }
      }
      return
    }
    if expectsEvery, skipped > 0 { fail("every", event, "something was skipped") }
    guard let base else { return }
    let expected = max(0, index - base - 1)
    if skipped != expected {
      let changes = era.changes[event.name]!.map { "\($0.isRemoval ? "-" : "")\($0.version)@\($0.revision)" }
      fail("Honest", event, "\(expected) were skipped (number \(index) after \(base) of \(changes))")
    }
  }

  private func checkWhole(_ event: StoreEvent) {
    guard content == .events else { return }
    guard let state = past[event.epoch].states[event.revision] else {
      return fail("Atomic", event, "a revision that never was")
    }
    let expected = state.filter { matches($0.key) }.mapValues(\.value)
    if view != expected { fail("Atomic", event, "the view is \(view), the state was \(expected)") }
  }

  /// Everything was delivered: the stream has to have ended on the hub's state.
  func settle(_ states: [String: StoreState], _ hubEpoch: Epoch) {
    take(.max)
    let expected = states.filter { matches($0.key) }.mapValues(\.value)
    let key = stream.key.patterns.map(\.text).joined(separator: " ")
    if content == .events {
      if view != expected {
        problems.append("Latest: \(key), \(stream.policy) ends on \(view), the hub on \(expected)")
      }
      if !wasSyncedOnce { problems.append("Race-free: \(key) never saw synced") }
      if epoch != hubEpoch { problems.append("Race-free: \(key) ends in another epoch") }
      if !isIntroducing || syncedAt != nil { return }
      problems.append("Race-free: \(key) saw no synced after a reset")
    } else {
      for (name, value) in expected where view[name] != value {
        problems.append("Latest: \(key), \(stream.policy) shows \(view[name] as Any) last, not \(value)")
      }
    }
  }
}
