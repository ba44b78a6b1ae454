// A connection that holds a claim as long as it lives: makes the claim, notices its loss, connects again. It never waits
// for an answer, since a command's end must not either.

internal import HubCore
internal import HubTransport

struct ClaimLink: ~Copyable {
  enum Standing {
    /// There is no connection.
    case away
    /// The watch of the lock's store was asked for.
    case opening(UInt32, until: Deadline)
    case claiming(UInt32, until: Deadline)
    /// The claim was refused, and what keeps the lock's store was asked for.
    case looking(UInt32, until: Deadline)
    /// Somebody else has it, or has broken it.
    case refused
    case held(Fence)
    /// No later attempt would make it good.
    case failed(Failure)
    /// It was given up.
    case released
  }

  private let place: SocketPath
  private let verb: VerbSpec
  private let claim: Claim
  private let patience: Duration
  private var connection: HubConnection?
  /// How many connections there have been.
  private(set) var generation = 1
  private var reconnection: Reconnection
  private(set) var standing = Standing.away
  /// What was held last, and would be held again.
  private var fence: Fence?
  /// The revision that the lock's store has while it is ours.
  private var own: Revision = 0
  private var hasLooked = false
  /// A value as it was set here last.
  private var set: WriteResult?
  /// Since the hub began to show everything again: whether it has shown the store.
  private var isShown = true

  private static let atOnce = Deadline(nanoseconds: 0)
  /// A local hub accepts at once, unless very many connect to it.
  private static let connectPatience = Duration.milliseconds(100)

  /// Connects for the first time.
  ///
  /// - Parameter patience: how long the hub may take for an answer.
  /// - Throws: `noHub` and whatever else keeps it from working.
  init(
    _ claim: Claim, at place: SocketPath, for verb: VerbSpec, patience: Duration
  ) throws(Failure) {
    // Reconnects go to the hub of the first connection, whatever comes to exist meanwhile.
    self.place = .explicit(place.resolved)
    self.verb = verb
    self.claim = claim
    self.patience = patience
    reconnection = Reconnection(to: self.place.resolved)
    let deadline = Deadline.after(patience)
    do throws(HubError) {
      try open(until: deadline)
      while case .opening = standing { try step(until: deadline) }
    } catch {
      throw .hub(error)
    }
  }

  /// A value that is held already, by that connection.
  init(
    holding claim: Claim, _ result: WriteResult, on connection: consuming HubConnection, at place: SocketPath,
    for verb: VerbSpec,
    patience: Duration
  ) {
    self.place = .explicit(place.resolved)
    self.verb = verb
    self.claim = claim
    self.patience = patience
    reconnection = Reconnection(to: self.place.resolved)
    reconnection.succeed()
    set = result
    standing = .held(Fence(revision: 0, epoch: connection.welcome?.epoch ?? Epoch(high: 0, low: 0)))
    self.connection = consume connection
  }

  /// What to poll for reading; -1 while there is no connection.
  var descriptor: Int32 {
    switch connection {
    case .some(let connection): connection.descriptor
    case nil: -1
    }
  }

  /// When `advance` has something to do even if nothing arrives.
  var due: Deadline {
    switch standing {
    case .away: reconnection.nextAttempt
    case .opening(_, let deadline), .claiming(_, let deadline), .looking(_, let deadline): deadline
    case .refused, .held, .failed, .released: .never
    }
  }

  /// The hub has not answered yet.
  var isAsking: Bool {
    switch standing {
    case .opening, .claiming, .looking: true
    case .away, .refused, .held, .failed, .released: false
    }
  }

  /// Takes what has arrived, or connects again when it is time to.
  mutating func advance() {
    do throws(HubError) {
      switch standing {
      case .failed, .released: return
      case .away:
        guard reconnection.nextAttempt <= .now else { return }
        try open(until: .after(ClaimLink.connectPatience))
      case .opening, .claiming, .looking, .refused, .held: break
      }
      while true { try step(until: ClaimLink.atOnce) }
    } catch {
      if error.code == .timeout, .now < due, connection != nil { return }
      lose(error)
    }
  }

  private mutating func open(until deadline: Deadline) throws(HubError) {
    var opened = try HubConnection(to: place, name: "statectl " + verb.name, deadline: deadline)
    standing = .opening(opened.enqueue(claim.question), until: .after(patience))
    isShown = true
    generation += 1
    connection = consume opened
  }

  /// Takes the next message.
  ///
  /// - Throws: `timeout` if there is none.
  private mutating func step(until deadline: Deadline) throws(HubError) {
    switch standing {
    case .away, .failed, .released: throw HubError(.timeout, "nothing is to be done")
    case .opening(let id, _):
      let condition = try take(introduction: id, until: deadline)
      reconnection.succeed()
      guard let condition else {
        standing = .refused
        return
      }
      try stand(if: condition)
    case .claiming(let id, _): try take(answer: id, until: deadline)
    case .looking(let id, _): try take(look: id, until: deadline)
    case .refused, .held:
      guard let event = try connection?.nextEvent(deadline: deadline) else { return }
      try take(event)
    }
  }

  /// - Returns: that the store has not changed since; nil if another program has set a value meanwhile.
  private mutating func take(
    introduction id: UInt32, until deadline: Deadline
  ) throws(HubError) -> WriteCondition? {
    do throws(HubError) {
      guard case .described(let store) = try connection?.receive(id, deadline: deadline) else {
        return WriteCondition()
      }
      return isOurs(store) ? WriteCondition(revision: store.state.revision) : nil
    } catch {
      switch error.code {
      case .noSuchStore: return WriteCondition(revision: 0)
      // Those who may not read the store learn nothing of it.
      case .denied: return WriteCondition()
      default: throw error
      }
    }
  }

  /// Whether the store is as it was set here, or as the end of that value, or a new beginning, has left it.
  private func isOurs(_ store: StoreDescription) -> Bool {
    if let set, store.state.id == set.id {
      if store.state.version == set.version { return true }
      return store.state.version == set.version + 1 && store.state.value == store.schema.initial
    }
    return store.state.version == 1 && store.state.value == store.schema.initial
  }

  /// Makes the claim.
  ///
  /// - Parameter condition: for a value.
  private mutating func stand(if condition: WriteCondition = WriteCondition()) throws(HubError) {
    guard let epoch = connection?.welcome?.epoch else { return }
    guard let id = connection?.enqueue(claim.request(epoch: epoch, again: fence, if: condition)) else {
      return
    }
    standing = .claiming(id, until: .after(patience))
    try connection?.flush(deadline: .after(patience))
  }

  private mutating func take(answer id: UInt32, until deadline: Deadline) throws(HubError) {
    guard let epoch = connection?.welcome?.epoch else { return }
    do throws(HubError) {
      switch try connection?.receive(id, deadline: deadline) {
      case .committed(let revision, _): own = revision
      case .written(let result): set = result
      default: own = 0
      }
    } catch {
      guard error.code == .conflict else { throw error }
      if hasLooked { standing = .refused } else { try look() }
      return
    }
    let fence = fence ?? Fence(revision: own, epoch: epoch)
    self.fence = fence
    standing = .held(fence)
  }

  /// Asks what keeps the lock's store.
  private mutating func look() throws(HubError) {
    guard case .lock(let lock) = claim, let id = connection?.enqueue(.describe(.name(lock.name))) else {
      standing = .refused
      return
    }
    hasLooked = true
    standing = .looking(id, until: .after(patience))
    try connection?.flush(deadline: .after(patience))
  }

  /// - Throws: `schemaConflict` if it is a store that no holder's end will remove.
  private mutating func take(look id: UInt32, until deadline: Deadline) throws(HubError) {
    do throws(HubError) {
      let reply = try connection?.receive(id, deadline: deadline)
      if case .described(let store) = reply, store.owner == nil, store.ttl == nil {
        let reason =
          store.schema.initial == nil
          ? "is not a lock but a store that keeps a value, \(ValueText.cut(ValueText.line(store.state.value), 40)): remove it, or take a name of its own for the lock"
          : "the store has an initial value, so it always exists: a lock needs a name of its own"
        throw HubError(.schemaConflict, store: store.name, reason)
      }
    } catch {
      switch error.code {
      case .noSuchStore: return try stand()
      // Those who may not read the store learn nothing of it.
      case .denied: break
      default: throw error
      }
    }
    standing = .refused
  }

  /// What happens to the lock's store.
  private mutating func take(_ event: HubEvent) throws(HubError) {
    switch event {
    case .change(let state, _, _):
      // A holder does not change it.
      if case .refused = standing, fence == nil { try look() }
      try see(state.revision)
    case .current(_, let state): try see(state.revision)
    case .created(_, _, let state, _, _, _):
      if case .refused = standing, fence == nil, !LockClaim.isHolder(state.value) { try look() }
      try see(state.revision)
    case .removed(_, let removal, _, _): try see(removal.revision, isGone: true)
    case .forget: isShown = false
    case .synced:
      if !isShown { try see(.max, isGone: true) }
      isShown = true
    case .resumed, .ended, .forward, .withdraw: break
    }
  }

  private mutating func see(_ revision: Revision, isGone: Bool = false) throws(HubError) {
    isShown = true
    switch standing {
    case .held where revision > own: standing = .refused
    // The store is free for who comes first. One that had the lock does not have it any more.
    case .refused where isGone && fence == nil: try stand()
    default: break
    }
  }

  private mutating func lose(_ error: HubError) {
    connection = nil
    do throws(Failure) {
      try reconnection.fail(error)
      standing = .away
    } catch {
      standing = .failed(error)
    }
  }

  /// Gives up what is held, or may be, and waits until the hub knows.
  mutating func release() {
    if let connection = connection.take() { connection.finish(deadline: .after(patience)) }
    standing = .released
  }

  /// Claims anew, as one that never had it.
  mutating func beginAgain() {
    release()
    fence = nil
    reconnection.tryAtOnce()
    standing = .away
  }
}
