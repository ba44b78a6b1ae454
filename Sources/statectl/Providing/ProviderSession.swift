// One run of `statectl provide`: waits for the hub, the deciding command and the publishing one at once, and connects again.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct ProviderSession: ~Copyable {
  private let offer: ClaimOffer
  private let command: [Argument]
  private let place: SocketPath
  private let patience: Duration
  private var connection: HubConnection?
  private var reconnection: Reconnection
  /// Not decided yet, in their order. Bounded by the hub: one, and those that a lost connection has left behind.
  private var waiting: [ForwardedWrite] = []
  private var run: DecisionRun?
  private let publisher: Publisher?
  /// What was published last, to be published again on another connection.
  private var published: [StoreName: Argument] = [:]
  /// What the claim's state is to be.
  private var standing: ClaimStanding

  init(
    _ offer: ClaimOffer, _ command: [Argument], publishing script: Argument?, at place: SocketPath,
    patience: Duration
  ) throws(Failure) {
    self.offer = offer
    self.command = command
    // Reconnects go to the hub of the first connection, whatever comes to exist meanwhile.
    self.place = .explicit(place.resolved)
    self.patience = patience
    reconnection = Reconnection(to: self.place.resolved)
    standing = script == nil ? .live : .syncing
    do throws(HubError) {
      connection = try ProviderSession.claim(offer, at: self.place, patience: patience)
    } catch {
      throw .hub(error)
    }
    publisher = try script.map { script throws(Failure) in try Publisher(script) }
    reconnection.succeed()
  }

  private static func claim(
    _ offer: ClaimOffer, at place: SocketPath, patience: Duration
  ) throws(HubError) -> HubConnection {
    let deadline = Deadline.after(patience)
    var connection = try HubConnection(to: place, name: "statectl provide", deadline: deadline)
    _ = try connection.request(.provide(offer), deadline: offer.waits ? .never : deadline)
    return connection
  }

  /// - Throws: why it cannot go on.
  mutating func serve() throws(Failure) {
    try attempt { () throws(HubError) in try stand() }
    while true {
      try advance()
      let due = min(reconnection.nextAttempt, .never)
      let results = Poll.wait(
        [
          (hubDescriptor, .reading), (run?.descriptor ?? -1, .reading),
          (publisher?.descriptor ?? -1, .reading),
        ], milliseconds: due.pollTimeout())
      if results[1].isReady { try finish() }
      if results[2].isReady, let publisher { try publish(publisher.read()) }
    }
  }

  private var hubDescriptor: Int32 {
    switch connection {
    case .some(let connection): connection.descriptor
    case nil: -1
    }
  }

  /// Takes what the hub has sent, or connects again when it is time to.
  private mutating func advance() throws(Failure) {
    do throws(HubError) {
      if connection == nil {
        guard reconnection.nextAttempt <= .now else { return }
        connection = try ProviderSession.claim(offer, at: place, patience: patience)
        reconnection.succeed()
        for (name, value) in published { try publish(name, value) }
        try stand()
      }
      while let event = try nextEvent() { try take(event) }
    } catch {
      try lose(error)
    }
    try begin()
  }

  private mutating func nextEvent() throws(HubError) -> HubEvent? {
    do throws(HubError) {
      return try connection?.nextEvent(deadline: Deadline(nanoseconds: 0))
    } catch {
      if error.code == .timeout { return nil }
      throw error
    }
  }

  private mutating func take(_ event: HubEvent) throws(HubError) {
    switch event {
    case .forward(let write): waiting.append(write)
    case .withdraw(0, _, _):
      throw HubError(
        .claimed, store: offer.name.text, "another connection has the claim now, or it was released")
    case .withdraw(let ticket, _, let reason):
      // What the command is about already goes on: it may have an effect.
      guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
      waiting.remove(at: place)
      // The hub is told all the same, unless a command is what hangs: so it knows that its provider answers again.
      if reason == .timeIsOver, run == nil {
        _ = try connection?.request(.decide(ticket, .again), deadline: .after(patience))
      }
    case .change, .created, .removed, .current, .synced, .resumed, .forget, .ended: break
    }
  }

  private mutating func lose(_ error: HubError) throws(Failure) {
    connection = nil
    // Their setters are told that it is not known.
    waiting = []
    try reconnection.fail(error)
  }

  // MARK: Deciding

  /// Starts the command for the next write.
  private mutating func begin() throws(Failure) {
    while run == nil, !waiting.isEmpty {
      let write = waiting.removeFirst()
      guard write.operations.count == 1, let operation = write.operations.first else {
        try decide(
          write.ticket, .refuse(.refused, "the provider takes one store at a time, and no transactions"))
        continue
      }
      do throws(Failure) {
        run = try DecisionRun(command, for: write, operation)
      } catch {
        error.complain()
        try decide(write.ticket, .refuse(.refused, "the provider's command cannot be started"))
      }
    }
  }

  private mutating func finish() throws(Failure) {
    guard let run else { return }
    self.run = nil
    try decide(run.write.ticket, run.decision())
    try begin()
  }

  private mutating func decide(_ ticket: UInt64, _ decision: Decision) throws(Failure) {
    do throws(HubError) {
      _ = try connection?.request(.decide(ticket, decision), deadline: .after(patience))
    } catch {
      // The setter was told, and the provider goes on.
      if error.code.concernsConnection { try lose(error) } else { Failure.hub(error).complain() }
    }
  }

  // MARK: Publishing

  private mutating func stand() throws(HubError) {
    _ = try connection?.request(.standing(offer.name, standing), deadline: .after(patience))
  }

  private mutating func publish(_ publications: [Publication]) throws(Failure) {
    do throws(HubError) {
      for publication in publications {
        switch publication {
        case .value(let name, let value):
          published[name] = value
          try publish(name, value)
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

  /// As `set` does: what the value looks like, and if the store is of another type, that.
  private mutating func publish(_ name: StoreName, _ text: Argument) throws(HubError) {
    do throws(Failure) {
      let guess = try ValueSyntax.inferred(text, store: name.text)
      if try set(name, guess) { return }
      guard case .listed(let stores, _)? = try ask(Client.typeQuestion(name)), let type = stores.first?.type
      else { return }
      _ = try set(name, try ValueSyntax.value(text, as: type, store: name.text), isLast: true)
    } catch {
      if case .hub(let error) = error, error.code.concernsConnection { throw error }
      error.complain()
    }
  }

  /// - Returns: false if the store is of another type.
  private mutating func set(_ name: StoreName, _ value: Value, isLast: Bool = false) throws(Failure) -> Bool {
    do throws(Failure) {
      _ = try ask(.write(.set(.name(name), value)))
      return true
    } catch {
      if !isLast, case .hub(let error) = error, error.code == .typeMismatch { return false }
      throw error
    }
  }

  private mutating func ask(_ request: Request) throws(Failure) -> Reply? {
    do throws(HubError) {
      return try connection?.request(request, deadline: .after(patience))
    } catch {
      throw .hub(error)
    }
  }
}

extension HubError.Code {
  /// Nothing more can be asked on the connection.
  fileprivate var concernsConnection: Bool {
    switch self {
    case .connectionLost, .timeout, .closed, .protocolViolation, .shuttingDown, .notReading: true
    default: false
    }
  }
}
