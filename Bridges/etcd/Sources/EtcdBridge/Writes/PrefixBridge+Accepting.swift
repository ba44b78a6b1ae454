// A write that has come about in etcd comes into force in the hub, when everything before it has.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// The follower has come to a change that this bridge has made.
  func accept(_ open: PendingWrite, _ changes: [Change], at told: Anchor, _ hub: Hub) async throws {
    for (name, type) in open.plan.types where table[name].hub == 0 { table[name].type = type }
    let counted: Bool
    do throws(HubError) {
      counted = try await open.write.accept()
    } catch {
      // Without an answer it may have come into force.
      if error.isUnanswered { throw error }
      // The hub has told the setter why.
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
        // Equal values change nothing: the answer tells which revisions the hub has given them.
        try await publish(changes, .written, hub)
      }
    } catch {
      (seen, anchor) = before
      throw error
    }
    // Its setter had gone before it came into force, and nobody ends it.
    if open.plan.isEphemeral, !counted { Task { await self.end(changes) } }
  }

  /// To publish a value would end the time that the hub counts for it: the revisions are read.
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

  /// Deletes what nobody keeps, unless it has changed again.
  private func end(_ changes: [Change]) async {
    let set = changes.compactMap(\.now)
    _ = try? await etcd.transact(
      EtcdTransaction(
        compare: set.map { EtcdCompare($0.key, .modRevision($0.modRevision)) },
        success: set.map { .delete(.key($0.key)) }))
  }

  /// Why etcd refuses a change for good, in the hub's terms.
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
