// A write by somebody on this machine: one change of etcd that holds only if nothing is newer, and what becomes of it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// How a write ends here. `accept` is the follower's alone, in the order of etcd's revisions.
  enum Decision {
    case again
    case refuse(String, HubError.Code)
    /// The follower has accepted it, or its claim is over.
    case settled

    static func unavailable(_ reason: String) -> Decision { .refuse(reason, .unavailable) }
  }

  /// Decides about a write.
  func decide(_ write: ProvidedWrite) async {
    let decision: Decision
    do throws(Refusal) {
      decision = await judge(write, try WritePlan(write.operations, mapping, values))
    } catch {
      decision = .refuse(error.reason, error.code)
    }
    // If the hub is gone, it has told the setter.
    switch decision {
    case .settled: break
    case .again:
      report.count(\.conflicts)
      _ = try? await write.again()
    case .refuse(let reason, let code):
      // The end of a value is not over before it is done.
      if write.isEnd {
        try? await Task.sleep(for: .seconds(1))
        _ = try? await write.again()
      } else {
        report.count(code == .unavailable ? \.unavailable : \.refused)
        _ = try? await write.refuse(reason, code: code)
      }
    }
  }

  private func judge(_ write: ProvidedWrite, _ plan: WritePlan) async -> Decision {
    let session = session
    // The time for the last attempt is kept back.
    let end = ContinuousClock.now + (write.timeLeft ?? .seconds(60)) - Pace.write - .milliseconds(200)
    let names = plan.names
    guard await wait(until: end, { busy.isDisjoint(with: names) }) else {
      return .unavailable("another change of the same stores is open: nothing was done")
    }
    busy.formUnion(names)
    defer {
      busy.subtract(names)
      changed()
    }
    while true {
      if session != self.session || Task.isCancelled { return .settled }
      guard await wait(until: end, { !isPublishing }), case .live = standing else {
        return .unavailable("etcd is out of reach: nothing was done. \(lastProblem)")
      }
      if isReadOnly {
        return .refuse("the bridge's user in etcd may not write under \(ownKeys.ticketText)", .denied)
      }
      do {
        guard let compares = try await compares(of: plan) else { return .again }
        if let decision = try await attempt(write, plan, compares, end) { return decision }
      } catch let failure as EtcdFailure {
        // It was revoked: the next attempt gets another, or finds the value without its lease.
        let isRevoked = failure.problem == .leaseNotFound
        if isRevoked { lease = 0 }
        if !failure.isPassing, !isRevoked { return PrefixBridge.refusal(failure) }
        lastProblem = "\(failure)"
        if ContinuousClock.now >= end { return .unavailable("nothing was done: \(failure)") }
        try? await Task.sleep(for: .milliseconds(50))
      } catch {
        return .settled
      }
    }
  }

  /// What has to hold in etcd for the stores to be as the write was judged by; nil: they are newer, in the hub already.
  ///
  /// There is no suspension between the last look at the table and its return.
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
      // An earlier process has published it: what etcd has is what was published, unless it is newer.
      let found = try await etcd.range(EtcdRange(.key(unknown.key))).keyValues.first
      if table[unknown.name].etcd == nil, found?.modRevision ?? 0 <= seen {
        (table[unknown.name].etcd, table[unknown.name].lease) = (found?.modRevision ?? 0, found?.lease ?? 0)
      } else if table[unknown.name].etcd == nil {
        _ = await wait(until: .now + .milliseconds(200)) { table[unknown.name].etcd != nil }
      }
    }
  }

  /// The store was changed by the hub itself, as when its declaration has changed: it gets what etcd has.
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

  /// Changes etcd once.
  ///
  /// - Returns: what becomes of the write; nil: certainly nothing was done, and it can be tried again.
  private func attempt(
    _ write: ProvidedWrite, _ plan: WritePlan, _ compares: [EtcdCompare], _ end: ContinuousClock.Instant
  ) async throws -> Decision? {
    let (session, used) = (session, fence)
    let operations = try await operations(of: plan)
    // Waiting for a lease may have taken a while.
    if plan.bases.contains(where: { table[$0.name].hub != $0.revision }) { return .again }
    lastTicket += 1
    let ticket = lastTicket
    let open = PendingWrite(write, plan)
    pending[ticket] = open
    func withdraw() { if session == self.session { pending[ticket] = nil } }
    let change = EtcdTransaction(
      compare: compares, success: operations + [.put(ownKeys.ticket, value: ownKeys.value(ticket))],
      failure: [.range(EtcdRange(.key(ownKeys.fence)))])
    do throws(EtcdFailure) {
      let result = try await etcd.transact(change, within: Pace.write)
      if result.succeeded {
        // The follower accepts it when it comes to that revision.
        _ = await wait(until: .now + .seconds(600)) { open.isOver || session != self.session }
        return .settled
      }
      withdraw()
      return try await explain(result, plan, used, end)
    } catch {
      guard error.effect == .unknown else {
        withdraw()
        throw error
      }
      report.count(\.unknown)
      return await resolve(open, withdraw, used)
    }
  }

  /// Something is newer in etcd: another machine's change, which the follower has yet to see, or the fence.
  private func explain(
    _ result: EtcdTransactionResult, _ plan: WritePlan, _ used: Int64, _ end: ContinuousClock.Instant
  ) async throws(EtcdFailure) -> Decision? {
    if case .range(let range)? = result.results.first, range.keyValues.first?.modRevision ?? 0 != used {
      if fence == used { try await moveFence(range.keyValues.first) }
      return nil
    }
    let isSeen = await wait(until: end + Pace.write) {
      !isPublishing && plan.bases.contains { table[$0.name].hub != $0.revision || standing != .live }
    }
    return isSeen
      ? .again : .unavailable("another machine has changed it, and etcd does not tell how: nothing was done")
  }

  /// It is not known whether a change was made: it is, as soon as none from before the new fence can be made any more.
  private func resolve(_ open: PendingWrite, _ withdraw: () -> Void, _ used: Int64) async -> Decision? {
    let session = session
    while !open.isOver, session == self.session, !Task.isCancelled {
      if fence != used, seen >= fence {
        // The follower has passed everything that could have been it.
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
        open.isOver || session != self.session || seen >= mark && mark != used
      }
    }
    return .settled
  }
}
