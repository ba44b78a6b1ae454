// Owns the ids of running effects, for cancelling and throttling: ids in scopes, and the scopes themselves. It never
// cancels while its lock is held.

import Synchronization

/// One per engine. Names are registered when an effect is handed to the engine, before it starts, so that a
/// cancellation before its start finds it.
final class CancelRegistry: Sendable {
  private struct Named {
    var path: ScopePath
    var token: CancelToken
  }

  private struct Child {
    var element: EffectID?
    var token: CancelToken
  }

  private struct GroupKey: Hashable {
    var path: ScopePath
    var group: ScopeGroup
  }

  private struct Contents {
    var named: [EffectID: [Named]] = [:]
    var groups: [GroupKey: [Child]] = [:]
    /// One for each id that the program throttles by, kept for the store's lifetime.
    var throttles: [ThrottleKey: Throttle] = [:]
  }

  private struct ThrottleKey: Hashable {
    var path: ScopePath
    var id: EffectID
  }

  private let contents = Mutex(Contents())

  /// The registry of the engine whose reducer is running.
  @TaskLocal static var current: CancelRegistry?

  // MARK: Ids

  func add(_ id: EffectID, at path: ScopePath, _ token: CancelToken) {
    contents.withLock { $0.named[id, default: []].append(Named(path: path, token: token)) }
  }

  func remove(_ id: EffectID, _ token: CancelToken) {
    contents.withLock { contents in
      contents.named[id]?.removeAll { $0.token === token }
      if contents.named[id]?.isEmpty == true { contents.named[id] = nil }
    }
  }

  /// Cancels the id in a scope and the scopes below it.
  func cancel(_ id: EffectID, within path: ScopePath) {
    for token in tokens(id, where: { path.encloses($0) }) { token.cancel() }
  }

  /// Cancels the id in exactly one scope, except for work that contains `newcomer`: an effect never cancels its own
  /// container.
  func cancel(_ id: EffectID, exactlyAt path: ScopePath, inFavourOf newcomer: CancelToken) {
    for token in others(id, exactlyAt: path, than: newcomer) { token.cancel() }
  }

  /// Whether anything runs under the id in exactly this scope, apart from work that contains `newcomer`.
  func isActive(_ id: EffectID, exactlyAt path: ScopePath, besides newcomer: CancelToken) -> Bool {
    others(id, exactlyAt: path, than: newcomer).contains { !$0.isCancelled }
  }

  private func others(
    _ id: EffectID, exactlyAt path: ScopePath, than newcomer: CancelToken
  ) -> [CancelToken] {
    tokens(id) { path == $0 }.filter { !newcomer.isWithin($0) }
  }

  private func tokens(_ id: EffectID, where isMeant: (ScopePath) -> Bool) -> [CancelToken] {
    contents.withLock { contents in
      (contents.named[id] ?? []).filter { isMeant($0.path) }.map(\.token)
    }
  }

  // MARK: Scopes

  /// Whether any effect of a removable child is in flight.
  var hasScopes: Bool { contents.withLock { !$0.groups.isEmpty } }

  func enter(_ step: ScopeStep, at path: ScopePath, _ token: CancelToken) {
    contents.withLock { contents in
      contents.groups[GroupKey(path: path, group: step.group), default: []]
        .append(Child(element: step.element, token: token))
    }
  }

  func leave(_ step: ScopeStep, at path: ScopePath, _ token: CancelToken) {
    let key = GroupKey(path: path, group: step.group)
    contents.withLock { contents in
      contents.groups[key]?.removeAll { $0.token === token }
      if contents.groups[key]?.isEmpty == true { contents.groups[key] = nil }
    }
  }

  /// Cancels the effects of all the group's children except these.
  func keep(_ group: ScopeGroup, at path: ScopePath, alive: Set<EffectID>) {
    let gone = contents.withLock { contents in
      (contents.groups[GroupKey(path: path, group: group)] ?? [])
        .filter { child in child.element.map { !alive.contains($0) } ?? false }.map(\.token)
    }
    for token in gone { token.cancel(ofRemovedChild: true) }
  }

  // MARK: Intervals

  /// The throttle of an id in exactly one scope.
  func throttle(_ id: EffectID, at path: ScopePath) -> Throttle {
    contents.withLock { contents in
      let key = ThrottleKey(path: path, id: id)
      if let known = contents.throttles[key] { return known }
      let new = Throttle()
      contents.throttles[key] = new
      return new
    }
  }
}
