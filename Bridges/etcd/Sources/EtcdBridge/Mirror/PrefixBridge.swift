// One prefix of etcd as stores of a hub: the state that its parts share. Mirror, writes and health are extensions of it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

/// Everything that is published, and every decision, comes from one task that reads etcd's changes in their order.
actor PrefixBridge {
  let mapping: NameMapping
  let values: ValueMapping
  let etcd: EtcdClient
  let report: Report
  /// The keys that this bridge has for itself.
  let ownKeys: OwnKeys

  var claim: HubClaim?
  /// Counts the claims that were made: what belongs to an earlier one is over.
  var session = 0
  var standing = Standing.away
  var table = StoreTable()
  var knowledge = Knowledge.none
  /// Everything up to this revision of etcd is published; 0: all keys have to be read.
  var seen: Int64 = 0
  /// The last revision that etcd has told, at most `seen`; nil: none yet.
  var anchor: Anchor?
  var cluster: UInt64 = 0
  /// The revision of the hub's record of that; nil: it has none. Each publication that is not the first holds only if it still is,
  /// so that none reaches a hub that was started anew meanwhile.
  var recorded: Revision?
  var epoch: Hub.Epoch?
  /// Values, or decisions, are under way to the hub: what the table says will change.
  var isPublishing = false

  /// Reads etcd's changes, and publishes them.
  var follower: Task<Void, Never>?
  /// What the follower waits for, and the member that tells.
  var reader: Task<Void, any Error>?
  var endpoint: String?
  /// Until then at least, everything that etcd had was published.
  var fresh = ContinuousClock.now
  /// When etcd was asked how far it is, and its answer, until everything up to that is published.
  var question: (asked: ContinuousClock.Instant, revision: Int64)?
  var lastProblem = "etcd does not answer"

  /// Every change that the bridge makes in etcd holds only if this is the revision of its fence; 0: there is none.
  var fence: Int64 = 0
  var raising: Task<Int64, any Error>?
  var isReadOnly = false
  var lastTicket: UInt64 = 0
  /// Changes that were sent to etcd, and have not been seen in what it tells. Bounded by the claim's window.
  var pending: [UInt64: PendingWrite] = [:]
  /// Stores that are being written. Bounded by the claim's window.
  var busy: Set<String> = []
  var lease: Int64 = 0
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// What the table and `seen` say about the hub.
  enum Knowledge {
    /// Nothing: the claim was just made.
    case none
    /// A request has failed, and may have been carried out or not.
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
      description: "etcd, \(String(decoding: mapping.prefix, as: UTF8.self))", waits: true,
      takesLifetimes: true
    ) { [self] hub in try await begin(hub) }
    self.claim = claim
    let guardian = Task { await watchOver() }
    let warner = Task { await warn(socket) }
    defer {
      guardian.cancel()
      warner.cancel()
      follower?.cancel()
    }
    while !Task.isCancelled {
      do {
        try await withThrowingDiscardingTaskGroup { group in
          for try await write in claim.writes { group.addTask { await self.decide(write) } }
          // What is under way ends with the bridge.
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

  /// Warns if the hub does not answer, and once it does, if its configuration does not protect the stores.
  private func warn(_ socket: SocketPath) async {
    var isWaiting = false
    while !Task.isCancelled {
      do {
        if try await !Declaration.exists(of: mapping.base, socket) { report.undeclared(mapping) }
        return
      } catch {
        if !isWaiting { report.waiting(mapping.base, "\(error)") }
        isWaiting = true
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Returns as soon as nothing blocks the bridge.
  func isAlive() {}

  /// Ends what reads etcd.
  func stop() async {
    follower?.cancel()
    await follower?.value
    follower = nil
    standing = .away
    changed()
  }

  // MARK: Waiting

  /// Something has changed that tasks may wait for.
  func changed() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Waits until something is so.
  ///
  /// - Returns: false if the time was over before, or the task was cancelled.
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
