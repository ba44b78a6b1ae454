// A write by a client of this machine's hub: one change of etcd that holds only if nothing is newer, and its outcome.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// How a write ends here. Only the follower accepts, in the order of etcd's revisions.
  enum Decision {
    case again
    case refuse(String, HubError.Code)
    /// The follower has accepted it, or nothing was done and its claim is over.
    case settled
    /// etcd may have carried it out.
    case open

    static func unavailable(_ reason: String) -> Decision { .refuse(reason, .unavailable) }
  }

  /// Decides on a write.
  func decide(_ write: ProvidedWrite) async {
    let decision: Decision
    do throws(Refusal) {
      decision = await judge(write, try WritePlan(write.operations, mapping, values))
    } catch {
      decision = .refuse(error.reason, error.code)
    }
    // If the connection is lost, the hub has answered the writer itself.
    switch decision {
    case .settled: break
    case .again:
      report.count(\.conflicts)
      _ = try? await write.retry()
    case .refuse where write.isExpiry, .open where write.isExpiry:
      // A value must end in etcd, too: the hub asks until it has.
      try? await Task.sleep(for: .seconds(1))
      _ = try? await write.retry()
    case .refuse(let reason, let code):
      report.count(code == .unavailable ? \.unavailable : \.refused)
      _ = try? await write.refuse(reason, code: code)
    case .open: await keep(write)
    }
  }

  /// Keeps a write without a decision until the hub no longer waits: until then the follower may accept it, and afterwards its writer
  /// gets `unanswered`. If the process is to end, it is kept until then.
  private func keep(_ write: ProvidedWrite) async {
    let kept = Unmanaged.passRetained(Kept(write))
    let time = (write.timeLeft ?? .zero) + Pace.decision
    if (try? await Task.sleep(for: time)) != nil { kept.release() }
  }

  private final class Kept {
    private let write: ProvidedWrite

    init(_ write: ProvidedWrite) { self.write = write }
  }

  private static let stopped = Decision.unavailable("the bridge has stopped: nothing was done")

  private func judge(_ write: ProvidedWrite, _ plan: WritePlan) async -> Decision {
    let session = session
    // Time is reserved for the last attempt.
    let end = ContinuousClock.now + (write.timeLeft ?? .seconds(60)) - Pace.write - .milliseconds(200)
    let names = plan.names
    guard await wait(until: end, { busy.isDisjoint(with: names) }) else {
      return .unavailable("another change of the same stores is pending: nothing was done")
    }
    busy.formUnion(names)
    defer {
      busy.subtract(names)
      changed()
    }
    var hasRoom = true
    while true {
      if session != self.session || Task.isCancelled { return PrefixBridge.stopped }
      guard await wait(until: end, { !isPublishing }), case .live = standing else {
        return .unavailable("etcd is out of reach: nothing was done. \(lastProblem)")
      }
      if isReadOnly {
        return .refuse("the bridge's user in etcd may not write under \(ownKeys.ticketText)", .denied)
      }
      do {
        guard let compares = try await compares(of: plan) else { return .again }
        if let decision = try await attempt(write, plan, compares, end, hasRoom) { return decision }
      } catch let failure as EtcdFailure {
        if failure.problem == .cancelled { return PrefixBridge.stopped }
        // A full etcd still removes keys, and so makes room. Only the ticket needs any.
        if failure.problem == .noSpace, hasRoom, plan.onlyRemoves {
          hasRoom = false
          continue
        }
        // The lease was revoked: the next attempt gets another, or finds the value without its lease.
        let isRevoked = failure.problem == .leaseNotFound
        if isRevoked { await keepLease() }
        if !failure.isPassing, !isRevoked { return PrefixBridge.refusal(failure) }
        lastProblem = "\(failure)"
        if ContinuousClock.now >= end { return .unavailable("nothing was done: \(failure)") }
        try? await Task.sleep(for: .milliseconds(50))
      } catch {
        return .settled
      }
    }
  }

  /// The conditions under which the stores are as they were when the hub evaluated the write; nil: the hub already has newer ones.
  ///
  /// It does not suspend between its last look at the table and its return.
  private func compares(of plan: WritePlan) async throws -> [EtcdCompare]? {
    while true {
      var unknown: WritePlan.Base?
      var compares = [EtcdCompare(ownKeys.fence, .modRevision(fence))]
      for base in plan.bases {
        let entry = table[base.name]
        if entry.hub != base.revision {
          if base.revision > entry.hub, !isPublishing { try await publishAgain(base) }
          return nil
        }
        if let revision = entry.etcd {
          compares.append(EtcdCompare(base.key, .modRevision(revision)))
        } else {
          unknown = base
        }
      }
      guard let unknown else { return compares }
      // An earlier process has published it: etcd's value is the published one, unless it is newer.
      let found = try await etcd.range(EtcdRange(.key(unknown.key))).keyValues.first
      if table[unknown.name].etcd == nil, found?.modRevision ?? 0 <= seen {
        (table[unknown.name].etcd, table[unknown.name].lease) = (found?.modRevision ?? 0, found?.lease ?? 0)
      } else if table[unknown.name].etcd == nil {
        _ = await wait(until: .now + .milliseconds(200)) { table[unknown.name].etcd != nil }
      }
    }
  }

  /// Publishes etcd's value again, because the hub has changed the store itself, for example after a change of its declaration.
  private func publishAgain(_ base: WritePlan.Base) async throws {
    guard let hub = claim?.hub else { return }
    let found = try await etcd.range(EtcdRange(.key(base.key))).keyValues.first
    guard found?.modRevision ?? 0 <= seen, !isPublishing else { return }
    isPublishing = true
    defer {
      isPublishing = false
      changed()
    }
    table[base.name].hub = base.revision
    try await publish([Change(key: base.key, name: base.name, now: found)], .untouched, hub)
  }

  /// Attempts the change in etcd once.
  ///
  /// - Returns: nil: nothing was done, and it can be tried again.
  private func attempt(
    _ write: ProvidedWrite, _ plan: WritePlan, _ compares: [EtcdCompare], _ end: ContinuousClock.Instant,
    _ hasRoom: Bool
  ) async throws -> Decision? {
    let (session, used) = (session, fence)
    var operations = try await operations(of: plan)
    // Waiting for a lease may have taken a while.
    if plan.bases.contains(where: { table[$0.name].hub != $0.revision }) { return .again }
    lastTicket += 1
    let ticket = lastTicket
    let open = PendingWrite(write, plan, hasTicket: hasRoom)
    pending[ticket] = open
    func withdraw() { if session == self.session { pending[ticket] = nil } }
    func answered(_ revision: Int64) {
      open.revision = revision
      changed()
    }
    if hasRoom { operations.append(.put(ownKeys.ticket, value: ownKeys.value(ticket))) }
    let change = EtcdTransaction(
      compare: compares, success: operations, failure: [.range(EtcdRange(.key(ownKeys.fence)))])
    let result: EtcdTransactionResult
    do throws(EtcdFailure) {
      result = try await etcd.transact(change, within: Pace.write)
    } catch {
      answered(0)
      guard error.effect == .unknown else {
        withdraw()
        throw error
      }
      report.count(\.unknown)
      if hasRoom { return await resolve(open, withdraw, used) }
      // Without a ticket etcd does not report what became of it.
      withdraw()
      return .open
    }
    answered(result.hasChanged ? result.revision : 0)
    if result.hasChanged {
      // The follower accepts it when it reaches that revision.
      _ = await wait(until: .now + .seconds(600)) {
        open.end != nil || session != self.session || !isPublishing && seen >= result.revision
      }
      return open.end == .decided ? .settled : .open
    }
    withdraw()
    if result.succeeded { return .refuse("\(EtcdProblem.noSpace)", .quota) }
    return try await explain(result, plan, used, end)
  }

  /// Something is newer in etcd: the fence, or a key by a change of another machine that the follower has yet to reach.
  private func explain(
    _ result: EtcdTransactionResult, _ plan: WritePlan, _ used: Int64, _ end: ContinuousClock.Instant
  ) async throws(EtcdFailure) -> Decision? {
    if case .range(let range)? = result.results.first, range.keyValues.first?.modRevision ?? 0 != used {
      if fence == used { try await moveFence(range.keyValues.first) }
      return fence == used ? .refuse("\(EtcdProblem.noSpace)", .quota) : nil
    }
    let isSeen = await wait(until: end + Pace.write) {
      !isPublishing && plan.bases.contains { table[$0.name].hub != $0.revision || standing != .live }
    }
    return isSeen
      ? .again
      : .unavailable("another machine has changed it, and etcd does not report how: nothing was done")
  }

  /// Finds out whether a change was made: as soon as the fence is set again, none from before can be made any more.
  private func resolve(_ open: PendingWrite, _ withdraw: () -> Void, _ used: Int64) async -> Decision? {
    let session = session
    while open.end == nil, session == self.session, !Task.isCancelled {
      if fence != used, seen >= fence {
        // The follower has passed every revision that it could have been.
        withdraw()
        return nil
      }
      if fence == used {
        do {
          _ = try await raiseFence()
        } catch {
          try? await Task.sleep(for: .milliseconds(200))
        }
      }
      let mark = fence
      _ = await wait(until: .now + .seconds(1)) {
        open.end != nil || session != self.session || seen >= mark && mark != used
      }
    }
    return open.end == .decided ? .settled : .open
  }
}

extension EtcdTransactionResult {
  /// Whether it has made a revision. A removal of keys that do not exist makes none.
  fileprivate var hasChanged: Bool {
    succeeded && results.contains { if case .deleted(0, _) = $0 { false } else { true } }
  }
}
