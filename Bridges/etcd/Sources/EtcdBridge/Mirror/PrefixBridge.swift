// One prefix of etcd as stores of a hub: the state that its parts share. Mirror, writes and health are extensions of it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

/// One task reads etcd's changes in their order. Everything that is published, and every decision, comes from it.
actor PrefixBridge {
  let mapping: NameMapping
  let values: ValueMapping
  let etcd: EtcdClient
  let report: Report
  /// This bridge's own keys.
  let ownKeys: OwnKeys

  var claim: HubClaim?
  /// Counts the claims that were made. Work for an earlier claim is obsolete.
  var session = 0
  var standing = Standing.away
  var table = StoreTable()
  var knowledge = Knowledge.none
  /// Everything up to this revision of etcd is published; 0: all keys must be read.
  var seen: Int64 = 0
  /// The last revision that etcd has reported, at most `seen`; nil: none yet.
  var anchor: Anchor?
  var cluster: UInt64 = 0
  /// The revision of the hub's record of that; nil: there is none. Each publication after the first requires that revision, so that
  /// none reaches a hub that was restarted meanwhile.
  var recorded: Revision?
  var epoch: Hub.Epoch?
  /// Values or decisions are on their way to the hub, so the table is about to change.
  var isPublishing = false

  /// Reads etcd's changes, and publishes them.
  var follower: Task<Void, Never>?
  /// What the follower waits for, and the member that sends the changes.
  var reader: Task<Void, any Error>?
  var endpoint: String?
  /// Everything that etcd had at this time is published.
  var fresh = ContinuousClock.now
  /// When etcd was asked for its revision, and its answer, until everything up to that is published.
  var question: (asked: ContinuousClock.Instant, revision: Int64)?
  var lastProblem = "etcd does not answer"

  /// The revision of the fence, which every change by the bridge requires; 0: there is none.
  var fence: Int64 = 0
  var raising: Task<Int64, any Error>?
  var isReadOnly = false
  var lastTicket: UInt64 = 0
  /// Changes that were sent to etcd and have not come back in the watch. Bounded by the claim's window.
  var pending: [UInt64: PendingWrite] = [:]
  /// Stores that are being written. Bounded by the claim's window.
  var busy: Set<String> = []
  var lease: Int64 = 0
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// How reliable the table and `seen` are about the hub.
  enum Knowledge {
    /// Not at all: the claim was just made.
    case none
    /// A request has failed, and its outcome is unknown.
    case doubtful
    case complete
  }

  init(_ mapping: NameMapping, _ values: ValueMapping, _ etcd: EtcdClient, machine: String, _ report: Report)
  {
    (self.mapping, self.values, self.etcd, self.report) = (mapping, values, etcd, report)
    ownKeys = OwnKeys(mapping, machine: machine)
  }

  /// Claims the stores and serves them, until the task is cancelled.
  ///
  /// - Throws: `BridgeProblem` if the hub refuses the claim.
  func run(_ socket: SocketPath) async throws {
    let (stores, record) = ("\(mapping.base).**", ResumeRecord.pattern(of: mapping))
    let hub = Hub(socket, name: "statehub-bridge")
    let claim = try hub.claim(
      stores, record, name: mapping.base, timeout: Pace.decision, window: 64,
      description: "etcd, \(String(decoding: mapping.prefix, as: UTF8.self))", ifClaimed: .wait,
      takesLifetimes: true
    ) { [self] hub in try await begin(hub) }
    self.claim = claim
    let helpers = [
      Task { await watchOver() }, Task { await warnIfUndeclared(socket) }, Task { await observe(claim.hub) },
    ]
    defer {
      for helper in helpers { helper.cancel() }
      follower?.cancel()
    }
    while !Task.isCancelled {
      do {
        try await withThrowingDiscardingTaskGroup { group in
          for try await write in claim.writes { group.addTask { await self.decide(write) } }
          // Pending decisions end with the bridge.
          group.cancelAll()
        }
      } catch let error as HubError where error.isAboutConnection {
        // The next iteration publishes everything again.
        report.trouble(mapping.base, "the hub: \(error)")
        try? await Task.sleep(for: .seconds(1))
      } catch let error as HubError {
        throw BridgeProblem(
          error.code == .denied ? .denied : .configuration, "\(mapping.base): \(error.message)")
      }
    }
    await stop()
  }

  /// Warns, as soon as the hub answers, if its configuration does not protect the stores.
  private func warnIfUndeclared(_ socket: SocketPath) async {
    while !Task.isCancelled {
      if let isDeclared = try? await Declaration.exists(of: mapping.base, socket) {
        if !isDeclared { report.undeclared(mapping) }
        return
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Logs once for each time that the hub is missing.
  private func observe(_ hub: Hub) async {
    var isMissing = false
    for await status in hub.statuses {
      if let error = status.error, !isMissing { report.waiting(mapping.base, "\(error)") }
      isMissing = status.error != nil || isMissing && !status.isConnected
    }
  }

  /// Returns as soon as nothing blocks the bridge.
  func isAlive() {}

  /// Ends the follower.
  func stop() async {
    follower?.cancel()
    await follower?.value
    follower = nil
    standing = .away
    changed()
  }

  // MARK: Waiting

  /// Resumes the tasks that wait for a change.
  func changed() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Waits until a condition holds.
  ///
  /// - Returns: false if the time is over, or the task was cancelled.
  func wait(until end: ContinuousClock.Instant, _ isSo: () -> Bool) async -> Bool {
    if isSo() { return true }
    let alarm = Task {
      try? await Task.sleep(until: end)
      self.changed()
    }
    defer { alarm.cancel() }
    while !isSo() {
      if ContinuousClock.now >= end || Task.isCancelled { return false }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiters.append($0) }
      } onCancel: {
        alarm.cancel()
      }
    }
    return true
  }
}

extension HubError {
  /// The hub may answer the next time.
  fileprivate var isAboutConnection: Bool {
    switch code {
    case .timeout, .noHub, .connectionLost, .outcomeUnknown, .shuttingDown, .notReading: true
    default: false
    }
  }
}
