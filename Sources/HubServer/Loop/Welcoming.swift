// New connections: their identity, and whether there is room for them. A refused connection gets the reason.

import HubCore
import HubEngine
import HubSystem

extension Exchange {
  /// - Parameter socket: the name of the additional socket that it used; nil: the hub's own.
  mutating func welcome(_ descriptor: Int32, at socket: String?) {
    var peer: Peer
    var groups: [UInt32] = []
    do throws(SystemError) {
      let credentials = try Socket.peer(of: descriptor)
      peer = Peer(pid: credentials.pid, uid: credentials.uid, gid: credentials.gid)
      if let socket { peer = counted(peer, at: socket) }
      if engine.hasRules { groups = try Socket.peerGroups(of: descriptor) }
      try connections.poller.add(descriptor)
    } catch {
      refuse(descriptor, "the hub cannot serve this connection: \(error)")
      log.write(.warning, .acceptFailed, at: now.boot, "cannot serve a connection: \(error)")
      return
    }
    do throws(UserLimits.Refusal) {
      try connections.checkLimits(of: peer.uid, isFurther: socket != nil, now: now)
    } catch {
      refuse(descriptor, "\(error)")
      return log.write(.warning, .userLimit, at: now.boot, "refused a client, \(peer.process): \(error)")
    }
    let count = connections.shares.sessions(of: peer.uid)
    if let refusal = engine.connectionRefusal(of: peer, having: count, isFurther: socket != nil) {
      refuse(descriptor, refusal)
      return log.write(
        .warning, .userLimit, at: now.boot, "refused a client, \(peer.process): \(refusal)")
    }
    let isExtra = !connections.admission.hasRoom(for: descriptor)
    if isExtra, socket != nil || !mayExceed(peer, descriptor) {
      refuse(descriptor, connections.admission.fullness)
      return logFullness(peer)
    }
    connections.open(descriptor, of: peer.uid, isExtra: isExtra, helloBefore: helloDeadline)
    engine.open(
      SessionID(raw: descriptor), peer: peer, groups: groups,
      origin: engine.namesPrograms ? .ofPeer(at: descriptor) : nil, at: socket, now: now)
    engine.countConnection(SessionID(raw: descriptor), having: count)
    engine.monitoring.counters.connectionsAccepted &+= 1
    if log.isDebugging { logOpened(descriptor) }
  }

  /// A connection for which there is no descriptor left.
  mutating func refuseLast(_ descriptor: Int32) {
    tellRefused(
      descriptor, "the hub has no descriptor left for another client: raise LimitNOFILE= or ulimit -n")
    let peer =
      (try? Socket.peer(of: descriptor)).map {
        Exchange.name(of: Peer(pid: $0.pid, uid: $0.uid, gid: $0.gid))
      } ?? "a process"
    log.write(
      .warning, .descriptorsExhausted, at: now.boot,
      "refused a client: no descriptor left for \(peer) with \(quantity(connections.count, "client")); raise LimitNOFILE= or "
        + "ulimit -n")
    connections.hangUp(descriptor)
  }

  /// Sends the reason to the client, and closes the connection.
  private mutating func refuse(_ descriptor: Int32, _ reason: String) {
    tellRefused(descriptor, reason)
    connections.letGo(descriptor, now: now)
  }

  private mutating func tellRefused(_ descriptor: Int32, _ reason: String) {
    engine.monitoring.counters.connectionsRefused &+= 1
    var farewell = OutputBuffer()
    Reply.error(HubError(.quota, reason)).encode(into: &farewell, request: 0)
    _ = Socket.send(farewell.view.buffer, to: descriptor)
  }

  // MARK: The limit

  /// The peer may administer the hub although the hub is full.
  private func mayExceed(_ peer: Peer, _ descriptor: Int32) -> Bool {
    PeerIdentity.isAdministrator(peer.uid, of: options.engine.uid)
      && connections.admission.hasExtraRoom(for: descriptor)
  }

  private mutating func logFullness(_ peer: Peer) {
    let admission = connections.admission
    log.write(
      .warning, .tooManyClients, at: now.boot,
      "refused a client, \(Exchange.name(of: peer)): maxClients is \(admission.maxClients), and \(admission.clients) are "
        + "connected")
  }

  /// Whether a session that was admitted beyond the limit may have these requests executed: those that administer the
  /// hub, or all, once there is room. For others it gets the same error as a connection without room.
  mutating func mayCarryOut(_ bytes: ByteView, of descriptor: Int32) -> Bool {
    if connections.admission.hasRoom(for: descriptor) {
      connections.admit(descriptor)
      return true
    }
    var rest = bytes
    while case .frame(let frame) = reader.scan(rest) {
      rest = rest.suffix(from: frame.bytes.count)
      switch RequestKind(rawValue: frame.rawKind) {
      case .hello, .ping, .reload, .clients, .stats: continue
      default: break
      }
      engine.monitoring.counters.connectionsRefused &+= 1
      Reply.error(HubError(.quota, connections.admission.fullness)).encode(into: &replies, request: 0)
      connections.dismiss(descriptor)
      logFullness(engine.peer(of: SessionID(raw: descriptor)))
      return false
    }
    return true
  }

  // MARK: Hello

  /// When a connection accepted now must have said hello.
  private var helloDeadline: UInt64 { now.boot + UInt64(options.handshakeTimeoutMilliseconds) * 1_000_000 }

  /// Continues waiting for the previous hub's sessions that have not said hello.
  mutating func awaitHellos(of image: ServerImage) {
    let late = image.connections.filter { $0.helloDeadline > 0 }
    for connection in late.sorted(by: { $0.helloDeadline < $1.helloDeadline })
    where engine.isGreeting(SessionID(raw: connection.descriptor)) {
      connections.awaitHello(of: connection.descriptor, before: connection.helloDeadline)
    }
  }

  /// The timer has fired: some session's time may be up.
  mutating func expireSessions(in turn: borrowing Turn) {
    expireGreetings(in: turn)
    connections.closeLeaving(before: now.boot)
  }

  /// Sessions that have said hello leave the list here, or when they end.
  private mutating func expireGreetings(in turn: borrowing Turn) {
    while let (descriptor, deadline) = connections.nextGreeting {
      guard deadline <= now.boot || !isAwaitingHello(descriptor) else { return }
      connections.forgetGreeting(of: descriptor)
      guard isAwaitingHello(descriptor) else { continue }
      // A `hello` that has arrived in time counts, even if it has not been read yet.
      connections.addReady(descriptor)
      serve(descriptor, in: turn)
      if isAwaitingHello(descriptor) { dismissSilent(descriptor) }
    }
  }

  private mutating func isAwaitingHello(_ descriptor: Int32) -> Bool {
    connections[descriptor].life.isOpen && engine.isGreeting(SessionID(raw: descriptor))
  }

  private mutating func dismissSilent(_ descriptor: Int32) {
    let limit = "\(options.handshakeTimeoutMilliseconds) ms (handshakeTimeoutMilliseconds)"
    connections.silence(descriptor)
    tell(
      .error(HubError(.helloExpected, "the connection did not send hello within \(limit)")), to: descriptor)
    connections.endIfFinished(descriptor)
  }
}
