// Owns the cancellation of one piece of running work and of everything below it. It runs cancellation handlers without
// holding a lock.

import Synchronization

/// A node in the tree of cancellable work. Cancelling it cancels its descendants, at once and from any thread; a node
/// created below a cancelled one is cancelled from the start.
final class CancelToken: Sendable {
  private struct State {
    var isCancelled = false
    var isOfRemovedChild = false
    var children: [CancelToken] = []
    var handler: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let parent: CancelToken?

  init(parent: CancelToken? = nil) {
    self.parent = parent
    if let parent, !parent.adopt(self) { cancel() }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether it was cancelled because its child is gone.
  var isOfRemovedChild: Bool { state.withLock { $0.isOfRemovedChild } }

  /// Whether this is `other` or one of its descendants.
  func isWithin(_ other: CancelToken) -> Bool {
    var token = Optional(self)
    while let present = token {
      if present === other { return true }
      token = present.parent
    }
    return false
  }

  /// Cancels this node, then its descendants in the order in which they were made.
  func cancel(ofRemovedChild isRemoved: Bool = false) {
    let (handler, children) = state.withLock { state in
      if !state.isCancelled { state.isOfRemovedChild = isRemoved }
      state.isCancelled = true
      defer { (state.handler, state.children) = (nil, []) }
      return (state.handler, state.children)
    }
    handler?()
    for child in children { child.cancel(ofRemovedChild: isRemoved) }
  }

  /// Sets the cancellation handler; runs it at once if already cancelled.
  func onCancel(_ handler: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.isCancelled { state.handler = handler }
      return state.isCancelled
    }
    if isLate { handler() }
  }

  /// The work has ended: the parent drops it.
  func end() {
    state.withLock { $0.handler = nil }
    parent?.disown(self)
  }

  private func adopt(_ child: CancelToken) -> Bool {
    state.withLock { state in
      if !state.isCancelled { state.children.append(child) }
      return !state.isCancelled
    }
  }

  private func disown(_ child: CancelToken) {
    state.withLock { state in
      guard let index = state.children.lastIndex(where: { $0 === child }) else { return }
      state.children.remove(at: index)
    }
  }
}
