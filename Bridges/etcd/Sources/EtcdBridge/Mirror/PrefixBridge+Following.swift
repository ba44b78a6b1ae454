// From a claim to live values: what the hub has, what etcd has, and then each change.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// The claim was made: brings all values up to date. When it returns they count as live.
  func begin(_ hub: Hub) async throws {
    await stop()
    session += 1
    standing = .syncing
    for (_, write) in pending { write.isOver = true }
    pending = [:]
    changed()
    try await look(at: hub)
    var failures = 0
    while true {
      try Task.checkCancellation()
      do {
        let watch = try await catchUp(hub)
        standing = .live
        report.live(mapping.base, revision: seen)
        follower = Task { [session] in await follow(watch, hub, session) }
        return changed()
      } catch let failure as EtcdFailure {
        failures += 1
        note(failure)
        if failures >= 3 { try await suspend(because: "\(failure)") }
        try await Task.sleep(for: .milliseconds(failures < 3 ? 200 : 1000))
      }
    }
  }

  /// Finds what an earlier bridge has published, and how far.
  private func look(at hub: Hub) async throws {
    table = StoreTable(try await hub.list("\(mapping.base).**"))
    seen = 0
    (recorded, epoch) = (nil, nil)
    guard let stored = try await storedRecord(hub) else {
      // Ephemeral values have ended with the hub that they were set in.
      return dropLease()
    }
    (recorded, epoch) = (stored.revision, stored.epoch)
    guard let found = ResumeRecord(stored.value) else { return }
    // Whether it is the same cluster is seen when etcd answers: it may be away now.
    cluster = UInt64(found.cluster, radix: 16) ?? 0
    if found.continues(record) { (seen, lease) = (found.revision, found.lease) }
  }

  private func storedRecord(_ hub: Hub) async throws(HubError) -> StoredValue<Value>? {
    do throws(HubError) {
      return try await hub.anyValue(ResumeRecord.store(of: mapping)).read()
    } catch {
      if error.code == .noSuchStore { return nil }
      throw error
    }
  }

  /// What is written down with each publication.
  var record: ResumeRecord {
    ResumeRecord(revision: seen, cluster: cluster, prefix: mapping.prefix, values: values, lease: lease)
  }

  /// Publishes everything that etcd has by now, and goes on listening.
  func catchUp(_ hub: Hub) async throws -> EtcdWatch {
    let start = ContinuousClock.now
    let found = try await etcd.status().header.cluster
    if found != cluster { (cluster, seen) = (found, 0) }
    // A change of our own: when etcd tells it, it has told everything before. One who may not write reads all keys instead.
    let mark = try await raiseFence(joining: false)
    if mark == nil || mark ?? 0 <= seen { seen = 0 }
    do {
      if seen == 0 {
        if standing.isLive { try await suspend(because: "all keys are read anew") }
        try await readAll(hub)
      }
      let watch = try await etcd.watch(.prefix(mapping.prefix), from: seen + 1)
      while seen < mark ?? 0 {
        if let step = try await watch.next() { try await take(step, hub) }
      }
      (fresh, endpoint) = (start, watch.endpoint)
      return watch
    } catch let failure as EtcdFailure where failure.needsAllKeys {
      seen = 0
      throw failure
    }
  }

  /// Publishes change after change, and begins anew whenever etcd fails, until the claim's connection is lost.
  private func follow(_ first: EtcdWatch, _ hub: Hub, _ session: Int) async {
    var watch: EtcdWatch? = first
    var pause = Duration.milliseconds(20)
    while !Task.isCancelled, session == self.session {
      do {
        if watch == nil {
          watch = try await catchUp(hub)
          try await resume()
        }
        if let watch { try await read(watch, hub) }
      } catch let error as HubError {
        if error.endsSession { return }
        // The hub cannot keep the value: its disk or its memory is full.
        try? await suspend(because: "\(error)")
        pause = .seconds(1)
      } catch let failure as EtcdFailure {
        note(failure)
      } catch {
        // The reader was ended, for the watch to begin anew.
      }
      (watch, endpoint) = (nil, nil)
      report.count(\.watchesEnded)
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(500))
      if standing.isLive { pause = .milliseconds(20) }
    }
  }

  /// Reads a watch in a task of its own, which others can end.
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

  /// An etcd that has failed is known by its reason.
  func note(_ failure: EtcdFailure) {
    if failure.problem == .cancelled { return }
    if failure.needsAllKeys { seen = 0 }
    lastProblem = "\(failure)"
    report.trouble(mapping.base, lastProblem)
  }
}

extension HubError {
  /// The connection has gone, and with it the claim.
  var endsSession: Bool {
    switch code {
    case .connectionLost, .outcomeUnknown, .closed, .noHub, .timeout, .shuttingDown, .notReading,
      .claimed, .conflict:
      true
    default: false
    }
  }
}
