// Whether the values are up to date: the bridge regularly asks the member that sends the changes.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// Supervises the values until the task is cancelled.
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

  /// Asks the member that sends the changes for its revision. Once everything up to that is published, the values were up to date
  /// at the time of the question.
  private func ask() async {
    guard let endpoint else { return }
    let start = ContinuousClock.now
    do throws(EtcdFailure) {
      let revision = try await etcd.probe(ownKeys.fence, at: endpoint, within: Pace.answer)
      guard endpoint == self.endpoint else { return }
      guard standing.isLive else { return await recover(since: start) }
      if seen >= revision || isReadOnly && !isPublishing { return known(since: start) }
      let open = question ?? (start, revision)
      question = open
      if seen >= open.revision { return known(since: open.asked) }
      if start - open.asked < Pace.lag { return }
      // Either the watch lags or the changes were elsewhere: a change of our own shows which. It serves every bridge of the prefix.
      let mark = try await etcd.put(ownKeys.mark, Data(), within: Pace.answer)
      if await wait(until: .now + Pace.answer, { seen >= mark }) { known(since: start) }
    } catch {
      // A full etcd accepts no mark.
      if error.problem == .noSpace, !isPublishing { return known(since: start) }
      if error.problem != .busy { note(error) }
    }
  }

  /// Everything from before that time is published.
  private func known(since start: ContinuousClock.Instant) { (fresh, question) = (start, nil) }

  /// The member answers again: once the watch has reported a change that is made now, it has reported everything before.
  private func recover(since start: ContinuousClock.Instant) async {
    guard case .suspended = standing, reader != nil else { return }
    let before = seen
    if let mark = try? await raiseFence(joining: false),
      await wait(until: .now + .seconds(3), { seen >= mark })
    {
      known(since: start)
      try? await resume()
    } else if seen == before {
      // The watch hangs: one that progresses is only slow.
      reader?.cancel()
    }
  }

  /// Tells the hub that values may be old.
  func suspend(because reason: String) async throws {
    if case .away = standing { return }
    let isNews = standing.isLive || standing == .syncing
    standing = .suspended(reason)
    changed()
    if isNews { report.suspended(mapping.base, reason) }
    try await claim?.suspend(because: reason)
  }

  /// Tells the hub that values are up to date again.
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
