// One run of `statectl provide`: waits for the hub, the deciding command and the publishing one at once, and connects again.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct ProviderSession: ~Copyable {
  private let offer: ClaimOffer
  private let command: [Argument]
  /// What answers reads; nil: the hub does.
  private let readScript: Argument?
  private let patience: Duration
  private var link: Link
  /// Not decided yet, in their order. Bounded by the hub: one, and those that a lost connection has left behind.
  private var waiting: [Forwarded] = []
  private var run: DecisionRun?
  private var publishing = Publishing.off
  /// What publishes only while there are watchers; nil: the publisher runs all the time, or there is none.
  private let script: Argument?
  /// The last values of the stores that were published, for the next connection.
  private var known: [StoreName: KnownValue] = [:]
  /// The wanted state of the claim.
  private var standing: ClaimStanding

  init(
    _ offer: ClaimOffer, _ command: [Argument], onRead readScript: Argument?, publishing script: Argument?,
    isOnDemand: Bool, at place: SocketPath, patience: Duration
  ) throws(Failure) {
    self.offer = offer
    self.command = command
    self.readScript = readScript
    self.patience = patience
    self.script = isOnDemand ? script : nil
    standing = script == nil ? .live : isOnDemand ? ProviderSession.resting : .syncing
    var link = Link(to: place, for: .provide)
    do throws(HubError) {
      try link.claim(offer, patience, followsWatchers: isOnDemand)
    } catch {
      throw .hub(error)
    }
    if let script, !isOnDemand { publishing = .on(try Publisher(script), Demand()) }
    self.link = link
  }

  /// - Throws: why it cannot continue.
  mutating func serve() throws(Failure) {
    try attempt { () throws(HubError) in try stand() }
    while true {
      try advance()
      let (output, errors) = run?.outputs ?? (-1, -1)
      let results = Poll.wait(
        [
          (link.descriptor, .reading), (run?.descriptor ?? -1, .reading),
          (publishing.descriptor, .reading), (output, .reading), (errors, .reading),
        ], milliseconds: link.nextAttempt.pollTimeout())
      if results[3].isReady || results[4].isReady { run?.read() }
      if results[1].isReady { try finish() }
      guard results[2].isReady else { continue }
      switch publishing {
      case .off: break
      case .on(let publisher, _): try publish(publisher.read())
      case .stopping(let publisher, let demand):
        try publisher.reap()
        publishing = .off
        try follow(demand)
      }
    }
  }

  /// Handles what the hub has sent, or reconnects when it is time.
  private mutating func advance() throws(Failure) {
    var demand = publishing.demand
    do throws(HubError) {
      if !link.isOpen {
        guard link.nextAttempt <= .now else { return }
        try link.claim(offer, patience, followsWatchers: script != nil)
        for (name, value) in known { try publish(name, value) }
        try stand()
      }
      while let event = try link.event() { try take(event, &demand) }
    } catch {
      try lose(error)
    }
    try follow(demand)
    try begin()
  }

  private mutating func take(_ event: HubEvent, _ demand: inout Demand) throws(HubError) {
    switch event {
    case .forward(let write): waiting.append(.write(write))
    case .ask(let read): waiting.append(.read(read))
    case .withdraw(0, _, _):
      throw HubError(
        .claimed, store: offer.name.text, "another connection has the claim now, or it was released")
    case .withdraw(let ticket, _, let reason):
      // A running command continues, because it may have had an effect.
      guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
      waiting.remove(at: place)
      // The hub is notified anyway, unless a command hangs, so that it detects that its provider answers again.
      if reason == .timeIsOver, run == nil {
        _ = try ask(.decide(ticket, .again))
      }
    // An event of the only store that it watches: the claim's state.
    case .change(let state, _, _), .created(_, _, let state, _, _, _), .current(_, let state):
      demand = Demand(ClaimStatus(ClaimStatus.prefix + offer.name.text, state.value))
    case .removed, .synced, .resumed, .forget, .ended: break
    }
  }

  private mutating func lose(_ error: HubError) throws(Failure) {
    // Waiting clients get `unanswered`: the outcome is unknown.
    waiting = []
    try link.lose(error)
  }

  // MARK: Deciding

  /// Starts the command for the next write or read.
  private mutating func begin() throws(Failure) {
    while run == nil, !waiting.isEmpty {
      let next = waiting.removeFirst()
      var command = command
      switch next {
      case .write(let write) where write.operations.count != 1:
        try decide(
          write.ticket,
          .refuse(.refused, "the provider accepts writes to one store at a time, not transactions"))
        continue
      case .write: break
      case .read: command = readScript?.asShellCommand ?? command
      }
      do throws(Failure) {
        run = try DecisionRun(command, for: next, longestValue: longestValue)
      } catch {
        error.complain()
        try decide(next.ticket, .refuse(.refused, "the provider's command cannot be started"))
      }
    }
  }

  private mutating func finish() throws(Failure) {
    guard let run else { return }
    self.run = nil
    var decision = try run.decision()
    switch run.forwarded {
    case .write(let write): note(decision, write)
    case .read(let read):
      if decision == .accept() { decision = try publish(run, for: read) }
    }
    try decide(run.forwarded.ticket, decision)
    try begin()
  }

  /// Publishes what a read's command has printed, if anything.
  private mutating func publish(_ run: DecisionRun, for read: ForwardedRead) throws(Failure) -> Decision {
    let text = run.printed.withoutNewline
    do throws(HubError) {
      if text.count == 0 { return .accept() }
      if try publish(text, in: read.name) { return .accept() }
      return .refuse(.refused, run.misprint(notBeing: "a value of the store's type"))
    } catch {
      if error.code.concernsConnection { try lose(error) }
      return .refuse(error.code, error.message)
    }
  }

  /// An accepted value replaces the published one.
  private mutating func note(_ decision: Decision, _ write: ForwardedWrite) {
    guard case .accept(let values) = decision, let operation = write.operations.first,
      known[operation.name] != nil
    else { return }
    known[operation.name] = (values?.first ?? operation.value).map { .accepted($0) }
  }

  /// What fits in a frame with a decision around it.
  private var longestValue: Int {
    let frame = link.welcome.map { Int($0.maximumFrameLength) }
    return (frame ?? Frame.defaultMaximumLength) - ProviderSession.frameOverhead
  }

  private static let frameOverhead = 256

  private mutating func decide(_ ticket: UInt64, _ decision: Decision) throws(Failure) {
    do throws(HubError) {
      _ = try ask(.decide(ticket, decision))
    } catch {
      // The writer was notified, and the provider continues.
      if error.code.concernsConnection { try lose(error) } else { Failure.hub(error).complain() }
    }
  }

  // MARK: Publishing

  private static let resting = ClaimStanding.suspended("its values are updated only while clients watch them")

  /// Starts what publishes on demand, or stops it, also to start it again with another interval.
  private mutating func follow(_ demand: Demand) throws(Failure) {
    guard let script, publishing.demand != demand else { return }
    switch publishing {
    case .off: publishing = .on(try Publisher(script, interval: demand.interval), demand)
    case .on(let publisher, _):
      publisher.stop()
      publishing = .stopping(publisher, next: demand)
    case .stopping(let publisher, _): publishing = .stopping(publisher, next: demand)
    }
    // When the interval changes, the values stay live.
    let isResting = standing == ProviderSession.resting
    if isResting != demand.isWatched { return }
    standing = demand.isWatched ? .syncing : ProviderSession.resting
    // The next connection reports it if this one is lost.
    guard link.isOpen else { return }
    do throws(HubError) { try stand() } catch { try lose(error) }
  }

  private mutating func stand() throws(HubError) {
    _ = try ask(.standing(offer.name, standing))
  }

  private mutating func publish(_ publications: [Publication]) throws(Failure) {
    do throws(HubError) {
      for publication in publications {
        switch publication {
        case .value(let name, let value):
          known[name] = .published(value)
          try publish(name, .published(value))
        case .live:
          standing = .live
          try stand()
        case .suspended(let reason):
          standing = .suspended(reason)
          try stand()
        }
      }
    } catch {
      try lose(error)
    }
  }

  private mutating func publish(_ name: StoreName, _ value: KnownValue) throws(HubError) {
    do throws(HubError) {
      switch value {
      case .accepted(let value): _ = try ask(.write(.set(.name(name), value)))
      case .published(let text): try publish(text, in: name)
      }
    } catch {
      if error.code.concernsConnection { throw error }
      Failure.hub(error).complain()
    }
  }

  /// As `set` does: with the value's apparent type, then with the store's.
  ///
  /// - Returns: false if it is not such a value, which was reported.
  @discardableResult
  private mutating func publish(_ text: Argument, in name: StoreName) throws(HubError) -> Bool {
    guard let guess = typed(text, as: nil, of: name) else { return false }
    do throws(HubError) {
      _ = try ask(.write(.set(.name(name), guess)))
    } catch {
      guard error.code == .typeMismatch else { throw error }
      guard case .listed(let stores, _)? = try ask(Client.typeQuestion(name)), let type = stores.first?.type,
        let value = typed(text, as: type, of: name)
      else { return false }
      _ = try ask(.write(.set(.name(name), value)))
    }
    return true
  }

  /// - Returns: nil if the text is not such a value, which was reported.
  private func typed(_ text: Argument, as type: ValueType?, of name: StoreName) -> Value? {
    do throws(Failure) {
      return try ValueSyntax.value(text, as: type, store: name.text)
    } catch {
      error.complain()
      return nil
    }
  }

  private mutating func ask(_ request: Request) throws(HubError) -> Reply? {
    try link.connection?.request(request, deadline: .after(patience))
  }
}

/// A provider's state of a store.
private enum KnownValue {
  /// A line's text, whose type is the store's.
  case published(Argument)
  /// The value of a write by another.
  case accepted(Value)
}

extension Link {
  fileprivate mutating func claim(
    _ offer: ClaimOffer, _ patience: Duration, followsWatchers: Bool
  ) throws(HubError) {
    let deadline = Deadline.after(patience)
    try open(until: deadline)
    _ = try connection?.request(.provide(offer), deadline: offer.waits ? .never : deadline)
    if followsWatchers {
      let state = try NamePattern(ClaimStatus.prefix + offer.name.text)
      _ = try connection?.request(.watch([state]), deadline: .after(patience))
    }
    succeed()
  }
}

extension HubError.Code {
  /// The connection accepts no more requests.
  fileprivate var concernsConnection: Bool {
    switch self {
    case .connectionLost, .timeout, .closed, .protocolViolation, .shuttingDown, .notReading: true
    default: false
    }
  }
}
