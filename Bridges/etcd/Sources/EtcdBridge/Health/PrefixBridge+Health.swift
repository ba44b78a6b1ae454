// Whether the values may be trusted: asked of the member that tells the changes, again and again.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// Watches over the values until the task is cancelled.
  func watchOver() async {
    var kept = ContinuousClock.now
    while (try? await Task.sleep(for: Pace.pause)) != nil {
      if ContinuousClock.now - kept >= .seconds(Pace.lease / 3) {
        kept = .now
        await keepLease()
      }
      await ask()
      if standing.isLive, ContinuousClock.now - fresh > Pace.longestDoubt {
        try? await suspend(because: lastProblem)
      }
      report.set(\.doubt, of: mapping.base, (ContinuousClock.now - fresh).milliseconds)
    }
  }

  /// Asks the member that tells the changes how far etcd is: values were up to date then once everything up to that is published.
  private func ask() async {
    guard let endpoint else { return }
    let start = ContinuousClock.now
    do throws(EtcdFailure) {
      let revision = try await etcd.probe(ownKeys.fence, at: endpoint, within: Pace.patience)
      guard endpoint == self.endpoint else { return }
      guard standing.isLive else { return await recover(since: start) }
      if seen >= revision || isReadOnly && !isPublishing { return known(since: start) }
      let open = question ?? (start, revision)
      question = open
      if seen >= open.revision { return known(since: open.asked) }
      if start - open.asked < Pace.lag { return }
      // Either the watch lags, or the changes were elsewhere: a change of our own tells which. It serves every bridge of the prefix.
      let mark = try await etcd.put(ownKeys.mark, Data(), within: Pace.patience)
      if await wait(until: .now + Pace.patience, { seen >= mark }) { known(since: start) }
    } catch {
      // A full etcd takes no mark.
      if error.problem == .noSpace, !isPublishing { return known(since: start) }
      if error.problem != .busy { note(error) }
    }
  }

  /// Everything from before then is published.
  private func known(since start: ContinuousClock.Instant) { (fresh, question) = (start, nil) }

  /// The member answers again: as soon as it has told a change that was made now, it has told everything.
  private func recover(since start: ContinuousClock.Instant) async {
    guard case .suspended = standing, reader != nil else { return }
    let before = seen
    if let mark = try? await raiseFence(joining: false),
      await wait(until: .now + .seconds(3), { seen >= mark })
    {
      known(since: start)
      try? await resume()
    } else if seen == before {
      // It does not move. One that does is only slow.
      reader?.cancel()
    }
  }

  /// Says that values may be old.
  func suspend(because reason: String) async throws {
    if case .away = standing { return }
    let isNews = standing.isLive || standing == .syncing
    standing = .suspended(reason)
    changed()
    if isNews { report.suspended(mapping.base, reason) }
    try await claim?.suspend(because: reason)
  }

  /// Says that values are true again.
  func resume() async throws {
    guard case .suspended = standing else { return }
    standing = .live
    report.live(mapping.base, revision: seen)
    try await claim?.resume()
    changed()
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int { Int(self / .milliseconds(1)) }
}
