// New connections: who they are, and whether there is room for them. One that is refused is told why.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  mutating func acceptClients() {
    guard acceptor.isReady else { return }
    acceptor.rotate()
    for _ in 0..<Acceptor.perTurn {
      switch acceptor.accept() {
      case .accepted(let descriptor): welcome(descriptor)
      case .lost: continue
      case .nobody: return
      case .mustRefuse(let descriptor):
        refuse(
          descriptor, "the hub has no descriptor left for another client: raise LimitNOFILE= or ulimit -n",
          isLast: true)
        acceptor.refused()
        log.write(
          .warning, .descriptorsExhausted, at: now.boot,
          "refused a client: no descriptor left with \(sessions.count) clients; raise LimitNOFILE= or ulimit -n"
        )
      case .failed(let problem):
        log.write(
          .warning, .acceptFailed, at: now.boot,
          "cannot accept a connection: \(ServerError.text(of: problem))")
        return
      }
    }
  }

  private mutating func welcome(_ descriptor: Int32) {
    var peer = Peer(pid: 0, uid: 0, gid: 0)
    guard clinux_peer_credentials(descriptor, &peer.pid, &peer.uid, &peer.gid) == 0, poller.add(descriptor)
    else {
      let problem = errno
      refuse(descriptor, "the hub cannot serve this connection: \(ServerError.text(of: problem))")
      log.write(
        .warning, .acceptFailed, at: now.boot, "cannot serve a connection: \(ServerError.text(of: problem))")
      return
    }
    let isExtra = !hasRoom(for: descriptor)
    if isExtra, !mayExceed(peer, descriptor) { return turnAway(descriptor) }
    sessions.open(descriptor, Session(state: .open, isExtra: isExtra))
    if isExtra { extras += 1 }
    engine.open(SessionID(raw: descriptor), peer: peer, now: now)
    engine.counters.connectionsAccepted &+= 1
    if isDebugging { logOpened(descriptor) }
    awaitHello(of: descriptor, until: now.boot + UInt64(options.helloMilliseconds) * 1_000_000)
  }

  /// Tells the client why, and closes the connection.
  private mutating func refuse(_ descriptor: Int32, _ reason: String, isLast: Bool = false) {
    engine.counters.connectionsRefused &+= 1
    var farewell = OutputBuffer()
    Reply.error(HubError(.quota, reason)).encode(into: &farewell, request: 0)
    _ = clinux_send(descriptor, farewell.base, farewell.count)
    if isLast { hangUp(descriptor) } else { letGo(descriptor) }
  }

  // MARK: The limit

  /// So many connections of root and of the hub's own user are let in beyond `maxClients`.
  private static let mostExtras = 8

  /// Another client can be served, and has this descriptor.
  private func hasRoom(for descriptor: Int32) -> Bool {
    sessions.count - extras < acceptor.maxClients
      && Int(descriptor) < sessions.capacity - DescriptorLimit.keptBack(of: sessions.capacity)
  }

  /// The peer may look after the hub although that is full.
  private func mayExceed(_ peer: Peer, _ descriptor: Int32) -> Bool {
    (peer.uid == 0 || peer.uid == options.engine.uid) && extras < EventLoop.mostExtras
      && Int(descriptor) < sessions.capacity - DescriptorLimit.keptBack(of: sessions.capacity) / 2
  }

  private mutating func turnAway(_ descriptor: Int32) {
    refuse(descriptor, fullness)
    logFullness()
  }

  private var fullness: String {
    let clients = sessions.count - extras
    return clients < acceptor.maxClients
      ? "the hub has descriptors for no more than its \(clients) clients: raise LimitNOFILE= or ulimit -n"
      : "the hub serves \(clients) clients, as many as maxClients of its configuration allows"
  }

  private mutating func logFullness() {
    log.write(
      .warning, .tooManyClients, at: now.boot,
      "refused a client: maxClients is \(acceptor.maxClients), and \(sessions.count - extras) are connected")
  }

  /// Whether a session that was let in beyond the limit may have these requests carried out: those that look after the hub, or
  /// all, once there is room. One that asks for others is told that there is none, as at its beginning.
  mutating func mayCarryOut(_ bytes: ByteView, of descriptor: Int32) -> Bool {
    if hasRoom(for: descriptor) {
      sessions[descriptor].isExtra = false
      extras -= 1
      return true
    }
    var rest = bytes
    while case .frame(let frame) = reader.scan(rest) {
      rest = rest.suffix(from: frame.bytes.count)
      switch RequestKind(rawValue: frame.rawKind) {
      case .hello, .ping, .reload, .clients, .stats: continue
      default: break
      }
      engine.counters.connectionsRefused &+= 1
      Reply.error(HubError(.quota, fullness)).encode(into: &replies, request: 0)
      finish(descriptor)
      logFullness()
      return false
    }
    return true
  }

  /// Closes a connection of which the client may not have said the last. Unread bytes would make the client's next read
  /// fail, and hide from it what it was told last: so they are read first.
  func hangUp(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
    inbox.discard(from: descriptor)
    close(descriptor)
  }
}
