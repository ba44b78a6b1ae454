// From a claim to live values: the state of the hub, the state of etcd, and then each change.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// Brings all values up to date after a claim was made. When it returns they count as live.
  func begin(_ hub: Hub) async throws {
    await stop()
    session += 1
    (standing, knowledge) = (.syncing, .none)
    abandonPending()
    changed()
    var failures = 0
    while true {
      try Task.checkCancellation()
      do {
        let watch = try await catchUp(hub)
        standing = .live
        report.live(mapping.base, revision: seen)
        follower = Task { await follow(watch, hub) }
        return changed()
      } catch let failure as EtcdFailure {
        note(failure)
      } catch let error as HubError where !error.endsBeginning {
        note(error)
      }
      failures += 1
      if failures >= 3 || knowledge == .doubtful { try await suspend(because: lastProblem) }
      try await Task.sleep(for: .milliseconds(failures < 3 ? 200 : 1000))
    }
  }

  /// Reads what an earlier bridge has published, and up to which revision.
  private func look(at hub: Hub) async throws {
    // With the connection the claim is lost, too: without it, a publication would be an ordinary write.
    if knowledge == .doubtful { try await claim?.suspend(because: lastProblem) }
    let isFirst = knowledge == .none
    table = StoreTable(try await hub.list("\(mapping.base).**"))
    (seen, anchor) = (0, nil)
    (recorded, epoch) = (nil, nil)
    let stored = try await storedRecord(hub)
    knowledge = .complete
    guard let stored else {
      // The ephemeral values have ended with the hub.
      if isFirst { dropLease() }
      return
    }
    (recorded, epoch) = (stored.revision, stored.epoch)
    guard let found = ResumeRecord(stored.value) else { return }
    // Whether it is the same cluster is checked when etcd answers: it may be away now.
    cluster = UInt64(found.cluster, radix: 16) ?? 0
    guard found.continues(record) else { return }
    (seen, anchor) = (found.revision, found.anchor)
    if lease == 0 { lease = found.lease }
  }

  private func storedRecord(_ hub: Hub) async throws(HubError) -> StoredValue<HubValue>? {
    do throws(HubError) {
      return try await hub.anyValue(ResumeRecord.store(of: mapping)).read()
    } catch {
      if error.code == .noSuchStore { return nil }
      throw error
    }
  }

  /// What each publication records.
  var record: ResumeRecord {
    ResumeRecord(
      revision: seen, anchor: anchor, cluster: cluster, prefix: mapping.prefix, values: values, lease: lease)
  }

  /// Publishes everything that etcd has now, and opens the watch for later changes.
  private func catchUp(_ hub: Hub) async throws -> EtcdWatch {
    if knowledge != .complete { try await look(at: hub) }
    let start = ContinuousClock.now
    let found = try await etcd.status().header.cluster
    if found != cluster { (cluster, seen) = (found, 0) }
    // A change of our own: when the watch reports it, it has reported everything before. A read-only user reads all keys instead.
    let mark = try await raiseFence(joining: false)
    if mark == nil || mark ?? 0 <= seen { seen = 0 }
    do {
      var watch = try await resumedWatch()
      if watch == nil {
        if standing.isLive { try await suspend(because: "all keys are read again") }
        anchor = mark.map { Anchor(fence: $0, ownKeys) }
        try await readAll(hub)
        watch = try await etcd.watch(.prefix(mapping.prefix), from: seen + 1)
      }
      guard let watch else { throw CancellationError() }
      while seen < mark ?? 0 {
        if let step = try await watch.next() { try await take(step, hub) }
      }
      (fresh, question, endpoint) = (start, nil, watch.endpoint)
      return watch
    } catch let failure as EtcdFailure where failure.needsAllKeys {
      seen = 0
      throw failure
    }
  }

  /// A watch that continues where the published values end; nil: there are none, or they are not from etcd's history.
  ///
  /// A cluster that was restored from a backup keeps its name, and in time reaches the same revisions. So etcd is asked for the last
  /// published revision, which must have the same contents.
  private func resumedWatch() async throws -> EtcdWatch? {
    guard seen > 0, let anchor else { return nil }
    let watch = try await etcd.watch(.prefix(mapping.prefix), from: anchor.revision)
    while true {
      guard case .revision(let told)? = try await watch.next() else { continue }
      if Anchor(told) == anchor { return watch }
      report.otherHistory(mapping.base, anchor.revision)
      seen = 0
      return nil
    }
  }

  /// Publishes each change, and starts again whenever etcd or the hub fails. Only `stop` ends it, so outdated values never stay live.
  private func follow(_ first: EtcdWatch, _ hub: Hub) async {
    var watch: EtcdWatch? = first
    var pause = Duration.milliseconds(20)
    while !Task.isCancelled {
      do {
        if watch == nil {
          watch = try await catchUp(hub)
          try await resume()
          pause = .milliseconds(20)
        }
        if let watch { try await read(watch, hub) }
      } catch let error as HubError {
        // The hub does not answer, its disk or memory is full, or a publication was cancelled.
        note(error)
        try? await suspend(because: lastProblem)
        pause = .seconds(1)
      } catch let failure as EtcdFailure {
        note(failure)
      } catch {
        // The reader was cancelled, so that the watch is opened again.
      }
      (watch, endpoint) = (nil, nil)
      report.count(\.watchesEnded)
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  /// Reads a watch in a task that can be cancelled on its own.
  private func read(_ watch: EtcdWatch, _ hub: Hub) async throws {
    let reader = Task {
      while let step = try await watch.next() { try await self.take(step, hub) }
    }
    self.reader = reader
    defer { self.reader = nil }
    try await withTaskCancellationHandler {
      try await reader.value
    } onCancel: {
      reader.cancel()
    }
  }

  /// Remembers why etcd has failed.
  func note(_ failure: EtcdFailure) {
    if failure.problem == .cancelled { return }
    if failure.needsAllKeys { seen = 0 }
    lastProblem = "\(failure)"
    report.trouble(mapping.base, lastProblem)
  }

  /// The hub has failed: its state is read again before anything else is published.
  private func note(_ error: HubError) {
    if knowledge == .complete { knowledge = .doubtful }
    lastProblem = "the hub: \(error)"
    report.trouble(mapping.base, lastProblem)
  }
}

extension HubError {
  /// The claim is lost. The next connection makes it again, unless the hub denies it.
  fileprivate var endsBeginning: Bool {
    switch code {
    case .connectionLost, .outcomeUnknown, .closed, .claimed, .denied: true
    default: false
    }
  }
}
