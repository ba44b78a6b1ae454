// A write that etcd has carried out takes effect in the hub, after everything before it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// Accepts a write when the follower reaches the change that this bridge made for it.
  func accept(_ open: PendingWrite, _ changes: [Change], at told: Anchor, _ hub: Hub) async throws {
    for (name, type) in open.plan.types where table[name].hub == 0 { table[name].type = type }
    let counted: Bool
    do throws(HubError) {
      counted = try await open.write.accept()
    } catch {
      // Without an answer it may have taken effect.
      if error.isUnanswered { throw error }
      // The hub has answered the writer.
      counted = false
    }
    for (name, effect) in open.plan.effects where effect == .delete && counted { table[name].hub = 0 }
    report.count(counted ? \.accepted : \.late)
    let before = (seen, anchor)
    (seen, anchor) = (told.revision, told)
    do {
      if open.plan.hasLifetimes {
        try await keepLifetimes(changes, hub)
      } else {
        // Equal values change nothing, and the answer has the revisions that the hub gave them.
        try await publish(changes, .written, hub)
      }
    } catch {
      (seen, anchor) = before
      throw error
    }
    // Its writer was gone before it took effect, so nothing else ends it.
    if open.plan.isEphemeral, !counted { Task { await self.end(changes) } }
  }

  /// Leaves the changes under way to themselves: nothing will be found out about them.
  func abandonPending() {
    for (_, write) in pending { write.end = .unknown }
    pending = [:]
  }

  /// Reads the revisions. Publishing the values would end the hub's timers for them.
  private func keepLifetimes(_ changes: [Change], _ hub: Hub) async throws {
    try await publish([], .written, hub)
    for change in changes {
      var entry = StoreTable.Entry(etcd: change.now?.modRevision ?? 0, lease: change.now?.lease ?? 0)
      do throws(HubError) {
        let stored = try await hub.anyValue(change.name).read()
        (entry.hub, entry.type) = (stored.revision, stored.value.type)
      } catch {
        if error.code != .noSuchStore { throw error }
      }
      table[change.name] = entry
    }
  }

  /// Deletes ephemeral values without an owner, unless they have changed again.
  private func end(_ changes: [Change]) async {
    let set = changes.compactMap(\.now)
    _ = try? await etcd.transact(
      EtcdTransaction(
        compare: set.map { EtcdCompare($0.key, .modRevision($0.modRevision)) },
        success: set.map { .delete(.key($0.key)) }))
  }

  /// The hub's error for a change that etcd refuses.
  static func refusal(_ failure: EtcdFailure) -> Decision {
    let code: HubError.Code =
      switch failure.problem {
      case .permissionDenied, .authentication: .denied
      case .noSpace: .quota
      case .tooLarge: .tooLarge
      default: .refused
      }
    return .refuse("\(failure)", code)
  }
}

extension HubError {
  fileprivate var isUnanswered: Bool {
    switch code {
    case .connectionLost, .outcomeUnknown, .closed, .noHub, .timeout, .shuttingDown, .notReading: true
    default: false
    }
  }
}
