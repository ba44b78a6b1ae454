// Whether the values may be trusted: asked of the member that tells the changes, again and again.

internal import EtcdGateway
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

  /// An answer of the majority by the member that tells the changes: it has told everything from before.
  private func ask() async {
    guard let endpoint else { return }
    let start = ContinuousClock.now
    do throws(EtcdFailure) {
      try await etcd.probe(at: endpoint, within: Pace.patience)
      guard endpoint == self.endpoint else { return }
      if standing.isLive { fresh = start } else { await recover(since: start) }
    } catch {
      if error.problem != .busy { note(error) }
    }
  }

  /// The member answers again: as soon as it has told a change that was made now, it has told everything.
  private func recover(since start: ContinuousClock.Instant) async {
    guard case .suspended = standing, let reader else { return }
    if let mark = try? await raiseFence(joining: false),
      await wait(until: .now + .seconds(3), { seen >= mark })
    {
      fresh = start
      try? await resume()
    } else {
      reader.cancel()
    }
  }

  /// Says that values may be old.
  func suspend(because reason: String) async throws {
    if case .away = standing { return }
    if standing == .suspended(reason) { return }
    let wasLive = standing.isLive
    standing = .suspended(reason)
    changed()
    if wasLive { report.suspended(mapping.base, reason) }
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
