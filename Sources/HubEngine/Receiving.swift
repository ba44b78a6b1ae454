// One request in, its reply out: dispatches a frame to its handler, and replies with errors. The rules are the handlers'.

package import HubCore

extension HubEngine {
  /// Executes one complete frame of a session and appends its reply. An error is answered and has no other effect, except
  /// before `hello`.
  package mutating func receive(
    _ frame: FrameView, from session: SessionID, in turn: borrowing Turn, now: Instant,
    into replies: inout OutputBuffer
  ) -> Receipt {
    if feed.isLagging || attention.isNeeded {
      if mustWait(frame, now) { return .askAgain }
      if attention.isMonitored {
        return receiveObserved(frame, from: session, in: turn, now: now, into: &replies)
      }
      if attention.hasRestricted, let receipt = refuse(frame, from: session, into: &replies) {
        return receipt
      }
      if attention.hasClaims, let receipt = divert(frame, from: session, now: now, into: &replies) {
        return receipt
      }
    }
    work &+= Cost.request &+ Cost.bytes(frame.bytes.count)
    monitoring.tally.requests &+= 1
    let audience = feed.sessions.countRequest(of: session)
    if feed.sessions[session].delivery == .greeting { return greet(frame, session, into: &replies) }
    var receipt: Receipt = []
    do throws(HubError) {
      switch frame.kind {
      case .write(let kind):
        receipt = try write(frame, kind, by: session, now: now, request: frame.request, into: &replies)
      case .request(let kind):
        switch kind {
        case .get: try get(frame, for: audience, into: &replies)
        case .transaction: receipt = try transact(frame, by: session, now: now, into: &replies)
        case .watch, .unwatch, .list:
          var effort = Effort(options.stepWork)
          defer { work &+= effort.spent }
          if try !step(kind, frame, session, now, &effort, into: &replies) { return .askAgain }
        case .describe: try describe(frame, by: session, now: now, into: &replies)
        case .clients: try clients(frame, by: session, into: &replies)
        case .stats:
          try checkTrust(to: "see the hub's counters", by: session)
          // The cost of the percentiles, and of examining every session, here and in the engine's owner.
          work &+= Cost.explanation &+ 2 &* Cost.passed &* Int(feed.sessions.limit)
          Reply.statistics(statistics(now: now)).encode(into: &replies, request: frame.request)
        case .reload:
          guard options.canReload else {
            throw HubError(.notSupported, "this hub is part of a program: it cannot reload")
          }
          try checkAdministrator(to: "reload", by: session)
          receipt = .reload
        case .access: try explain(frame, by: session, into: &replies)
        case .log: try tellLog(frame, by: session, into: &replies)
        case .monitor: try tellMonitor(frame, by: session, into: &replies)
        case .provide: try provide(frame, by: session, now: now, into: &replies)
        case .standing: try takeStanding(frame, by: session, now: now, into: &replies)
        case .decide: try decide(frame, by: session, now: now, into: &replies)
        case .restrict: try restrict(frame, session, into: &replies)
        case .ping: Reply.pong(revision: history.revision).encode(into: &replies, request: frame.request)
        case .hello: throw HubError(.malformed, "hello is allowed only as the first frame")
        }
      case .event, .reply, nil:
        throw HubError(.unknownKind, "this hub does not support requests of kind \(frame.rawKind)")
      }
    } catch {
      if lacksRoom(error) { return .askAgain }
      monitoring.note(error, of: feed.sessions.peer(of: session))
      Reply.error(error).encode(into: &replies, request: frame.request)
    }
    if ledger.awaitsJournal { receipt.insert(.awaitsJournal) }
    if history.turn.isFull { receipt.insert(.turnIsFull) }
    return receipt
  }

  /// Requests that may take several steps.
  ///
  /// - Returns: whether it is answered.
  private mutating func step(
    _ kind: RequestKind, _ frame: FrameView, _ session: SessionID, _ now: Instant, _ effort: inout Effort,
    into replies: inout OutputBuffer
  ) throws(HubError) -> Bool {
    feed.clock = now.boot
    defer {
      attention.hasFilters = !feed.filters.isEmpty
      // The work is charged to the session that causes it.
      countWatchers(until: work &+ HubEngine.countingWork)
    }
    return switch kind {
    case .watch:
      try feed.watch(
        frame, session, limit: options.maximumWatches, &history, &stores, &effort, into: &replies)
    case .unwatch: try feed.unwatch(frame, session, &stores, &effort, into: &replies)
    default: try list(frame, session, &effort, into: &replies)
    }
  }

  /// What a step spends at most on finding the claims that new patterns concern; the end of the turn finds the others.
  private static let countingWork = 100_000

  /// Whether the request cannot be executed yet: changes are still being noted or handed out. Notes the time, by which intervals
  /// begin.
  @inline(never)
  private mutating func mustWait(_ frame: FrameView, _ now: Instant) -> Bool {
    feed.clock = now.boot
    let (isLagging, isSealed) = (feed.isLagging, isSealed)
    return switch frame.kind?.effect {
    case .immediate: isSealed && HubEngine.changesTurn(frame)
    case .stores: isLagging || isSealed
    case .some(.none), nil: false
    }
  }

  /// Whether the request affects due sessions, or the store of a claim's state.
  private static func changesTurn(_ frame: FrameView) -> Bool {
    switch frame.kind {
    case .request(.watch), .request(.unwatch), .request(.provide), .request(.standing): true
    default: false
    }
  }

  /// Requests for administrators only, regardless of the rules.
  ///
  /// - Parameter use: the session's request, for the message.
  func checkAdministrator(to use: String, by session: SessionID) throws(HubError) {
    let uid = feed.sessions.peer(of: session).uid
    if let socket = socket(of: session) {
      throw HubError(.denied, "nobody may \(use) the hub through the socket \(socket): use the hub's own")
    }
    guard PeerIdentity.isAdministrator(uid, of: options.uid) else {
      throw HubError(.denied, "only the user that the hub runs as, \(options.uid), and root may \(use) it")
    }
    guard mayAdminister(session) else {
      throw HubError(
        .denied,
        "the hub's rules name apps, and this process is in one or in an unknown unit: it may not \(use) it")
    }
  }

  /// Requests about all clients, for example the counters, which include activity on stores that the session may not
  /// read.
  ///
  /// - Parameter use: the session's request, for the message.
  func checkTrust(to use: String, by session: SessionID) throws(HubError) {
    if feed.sessions.audience(of: session) == Permissions.everything { return }
    if let socket = socket(of: session) {
      throw HubError(.denied, "nobody may \(use) through the socket \(socket): use its own")
    }
    throw HubError(
      .denied,
      "this hub has access rules: only the user that it runs as, \(options.uid), and root may \(use)"
    )
  }

  private mutating func greet(
    _ frame: FrameView, _ session: SessionID, into replies: inout OutputBuffer
  ) -> Receipt {
    let problem: HubError
    if frame.kind == .request(.hello), let hello = HelloCommand(frame) {
      if hello.minimumVersion <= Frame.version, hello.maximumVersion >= Frame.version {
        feed.sessions.move(session, to: .idle)
        feed.sessions.setName(hello.name, of: session)
        let welcome = Welcome(
          version: Frame.version, capabilities: 0, epoch: epoch, revision: revision,
          maximumFrameLength: UInt32(options.maximumFrameLength), pid: options.pid, release: options.release)
        Reply.welcome(welcome).encode(into: &replies, request: frame.request)
        return []
      }
      problem = HubError(
        .unsupportedVersion,
        "this hub (\(options.release)) speaks protocol version \(Frame.version), "
          + "the client \(hello.minimumVersion) to \(hello.maximumVersion): update the older of the two")
    } else {
      problem = HubError(.helloExpected, "the first frame of a connection must be a valid hello")
    }
    monitoring.tally.errors &+= 1
    Reply.error(problem).encode(into: &replies, request: frame.request)
    return .close
  }

  /// The slot of the store that a request names, for a use that takes `right`.
  @inline(__always)
  mutating func slot(of key: StoreKey, by session: SessionID, to right: AccessRights) throws(HubError) -> Int
  {
    try slot(of: key, for: feed.sessions.audience(of: session), to: right)
  }

  @inline(__always)
  mutating func slot(
    of key: StoreKey, for audience: AudienceIndex, to right: AccessRights
  ) throws(HubError) -> Int {
    if let slot = try stores.find(key, for: audience, to: right) { return slot }
    throw HubEngine.missing(key)
  }

  static func missing(_ key: StoreKey) -> HubError {
    if !key.name.isEmpty, let problem = StoreName.problem(in: key.name) {
      return HubError(.invalidName, store: key.label, problem)
    }
    return HubError(.noSuchStore, store: key.label, "there is no such store: set or create it first")
  }

  @inline(__always)
  func append(_ outcome: WriteOutcome, request: UInt32, to replies: inout OutputBuffer) {
    let value = outcome.showsValue ? stores.value(of: outcome.slot) : nil
    let length = WrittenLayout.body + (value?.encodedLength ?? 0)
    let reply = replies.extend(length)
    WrittenLayout.write(
      to: reply, outcome.id, outcome.revision, outcome.version, outcome.durability, changed: outcome.changed,
      hasValue: value != nil, request: request, length: length)
    value?.write(to: reply + WrittenLayout.body)
  }
}
