// The connection that holds a claim as long as it lives: detects its loss, reconnects and renews the claim. It never waits for a reply, because the
// end of a command must not be delayed.

internal import HubCore
internal import HubTransport

struct ClaimLink: ~Copyable {
  enum Status {
    /// There is no connection.
    case away
    /// The state of the claim's store was requested.
    case opening(UInt32, until: Deadline)
    case claiming(UInt32, until: Deadline)
    case held(Fence)
    /// Another program has it, or has broken it.
    case lost
    /// No later attempt would succeed.
    case failed(Failure)
    /// It was given up.
    case released
  }

  private let claim: Claim
  private let patience: Duration
  private var link: Link
  private(set) var status: Status
  /// What is held, or was held last.
  private var fence: Fence
  /// The claim's store as it is while it is held.
  private var store: StoreID
  private var revision: Revision
  /// Of a value: its version while it is held.
  private var version: UInt64
  /// Whether the hub has shown the store since it began to show everything again.
  private var isShown = true

  private static let atOnce = Deadline(nanoseconds: 0)
  /// A local hub accepts at once, unless very many connect to it.
  private static let connectPatience = Duration.milliseconds(100)

  /// What the link's connection holds: a lock, whose holder's store it watches, or a value.
  ///
  /// - Parameters:
  ///   - store: the claim's.
  ///   - version: of a value.
  init(
    _ claim: Claim, _ fence: Fence, _ store: StoreID, version: UInt64 = 0, by link: consuming Link,
    patience: Duration
  ) {
    self.claim = claim
    self.patience = patience
    self.fence = fence
    self.store = store
    self.version = version
    revision = fence.revision
    status = .held(fence)
    self.link = link
    restrict()
  }

  /// Gives up everything but keeping the claim alive: nothing more is requested. The hub has read it before whatever another
  /// process sends that gets hold of the connection, so nothing waits for the reply. If it cannot be sent, the connection is lost.
  private mutating func restrict() {
    _ = link.connection?.enqueue(.restrict(.nothing))
    try? link.connection?.flush(deadline: .after(patience))
  }

  /// What to poll for reading; -1 while there is no connection.
  var descriptor: Int32 { link.descriptor }

  /// How many connections there have been.
  var generation: Int { link.generation }

  /// When `advance` has something to do even if nothing arrives.
  var due: Deadline {
    switch status {
    case .away: link.nextAttempt
    case .opening(_, let deadline), .claiming(_, let deadline): deadline
    case .held, .lost, .failed, .released: .never
    }
  }

  /// Handles what has arrived, or reconnects when it is time.
  mutating func advance() {
    do throws(HubError) {
      switch status {
      case .failed, .released: return
      case .away:
        guard link.nextAttempt <= .now else { return }
        try open(until: .after(ClaimLink.connectPatience))
      case .opening, .claiming, .lost, .held: break
      }
      while true { try step() }
    } catch {
      if error.code == .timeout, .now < due, link.isOpen { return }
      lose(error)
    }
  }

  private mutating func open(until deadline: Deadline) throws(HubError) {
    try link.open(until: deadline)
    let question: Request =
      switch claim {
      case .value(let name, _): .describe(.name(name))
      case .lock(let lock): .watch([NamePattern(lock.holder)])
      }
    isShown = true
    guard let id = link.connection?.enqueue(question) else { return }
    status = .opening(id, until: .after(patience))
  }

  /// Takes the next message.
  ///
  /// - Throws: `timeout` if there is none.
  private mutating func step() throws(HubError) {
    switch status {
    case .away, .failed, .released: throw HubError(.timeout, "there is nothing to do")
    case .opening(let id, _):
      let request = try take(introduction: id)
      link.succeed()
      guard let request, let id = link.connection?.enqueue(request) else {
        status = .lost
        return
      }
      status = .claiming(id, until: .after(patience))
      try link.connection?.flush(deadline: .after(patience))
    case .claiming(let id, _): try take(answer: id)
    case .lost, .held:
      guard let event = try link.connection?.nextEvent(deadline: ClaimLink.atOnce) else { return }
      take(event)
    }
  }

  /// - Returns: how to renew the claim; nil if another program has set a value in the meantime.
  private mutating func take(introduction id: UInt32) throws(HubError) -> Request? {
    let reply: Reply?
    var condition = WriteCondition()
    do throws(HubError) {
      reply = try link.connection?.receive(id, deadline: ClaimLink.atOnce)
      if case .described(let store) = reply {
        guard isOurs(store) else { return nil }
        condition.revision = store.state.revision
      }
    } catch {
      switch error.code {
      case .noSuchStore: condition.revision = 0
      // A client without the right to read learns nothing about the store.
      case .denied: break
      default: throw error
      }
    }
    switch claim {
    case .value(let name, let value):
      return .write(
        .set(.name(name), value, condition: condition, lifetime: Lifetime(ephemeral: true)))
    case .lock(let lock):
      return link.welcome.map { lock.takeAgain(epoch: $0.epoch, fence) }
    }
  }

  /// Whether the store still has the value set here, or the state after that value ended or after a new start.
  private func isOurs(_ store: StoreDescription) -> Bool {
    if store.state.id == self.store {
      if store.state.version == version { return true }
      return store.state.version == version + 1 && store.state.value == store.schema.initial
    }
    return store.state.version == 1 && store.state.value == store.schema.initial
  }

  private mutating func take(answer id: UInt32) throws(HubError) {
    do throws(HubError) {
      switch try link.connection?.receive(id, deadline: ClaimLink.atOnce) {
      case .committed(let revision, let results):
        self.revision = revision
        if let first = results.first { store = first.id }
      case .written(let result): (store, revision, version) = (result.id, result.revision, result.version)
      default: break
      }
      status = .held(fence)
      restrict()
    } catch {
      guard error.code == .conflict else { throw error }
      status = .lost
    }
  }

  /// Handles a change of the holder's store. A holder does not change it.
  private mutating func take(_ event: HubEvent) {
    switch event {
    case .change(let state, _, _) where state.id == store: see(state.revision)
    case .current(let name, let state) where name == claim.store.text: see(state.revision)
    case .created(let name, _, let state, _, _, _) where name == claim.store.text: see(state.revision)
    case .removed(let name, let removal, _, _) where name == claim.store.text: see(removal.revision)
    case .forget: isShown = false
    case .synced:
      if !isShown { see(.max) }
    case .change, .current, .created, .removed, .resumed, .ended, .forward, .withdraw, .ask: break
    }
  }

  private mutating func see(_ revision: Revision) {
    isShown = true
    if case .held = status, revision > self.revision { status = .lost }
  }

  private mutating func lose(_ error: HubError) {
    do throws(Failure) {
      try link.lose(error)
      if case .lost = status { return }
      status = .away
    } catch {
      status = .failed(error)
    }
  }

  /// Releases what is or may be held, and waits for the hub to confirm.
  mutating func release() {
    if let connection = link.connection.take() { connection.finish(deadline: .after(patience)) }
    status = .released
  }
}
