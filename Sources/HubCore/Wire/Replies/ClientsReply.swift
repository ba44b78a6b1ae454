// `clientList`: the answer to `clients`, one page.

/// One connection, as `clients` shows it.
public struct ClientSummary: Hashable, Sendable {
  /// The number of the connection, reused after it has ended.
  public var session: Int32
  /// The connected process, according to the kernel.
  public var peer: Peer
  /// The name that the client gave itself.
  public var name: String
  /// When it connected, in nanoseconds since 1970.
  public var since: Int64
  /// The number of patterns of its open watches.
  public var watches: UInt32
  /// The number of its requests so far.
  public var requests: UInt64
  /// The number of bytes queued for it that it has not read.
  public var unsent: UInt32
  /// Whether it is not reading its events, so they are conflated.
  public var behind: Bool
  /// An estimate of the processor time that its requests have cost the hub, in nanoseconds.
  public var cost: UInt64
  /// The memory that the hub keeps for it, in bytes: unread replies and events, and unfinished requests.
  public var held: UInt64
  /// How often it got current values instead of every missed change.
  public var catchUps: UInt32
  /// The unit and the app of the connected process.
  public var origin: PeerOrigin

  package init(
    session: Int32, peer: Peer, name: String, since: Int64, watches: UInt32, requests: UInt64, unsent: UInt32,
    behind: Bool, cost: UInt64 = 0, held: UInt64 = 0, catchUps: UInt32 = 0, origin: PeerOrigin = PeerOrigin()
  ) {
    self.session = session
    self.peer = peer
    self.name = name
    self.since = since
    self.watches = watches
    self.requests = requests
    self.unsent = unsent
    self.behind = behind
    self.cost = cost
    self.held = held
    self.catchUps = catchUps
    self.origin = origin
  }
}

extension ClientSummary {
  private enum Flag {
    static let more: UInt8 = 1 << 0
    static let behind: UInt8 = 1 << 0
  }

  static func encode(
    _ clients: [ClientSummary], more: Bool, into out: inout OutputBuffer, request: UInt32
  ) {
    out.frame(ReplyKind.clientList.rawValue, flags: more ? Flag.more : 0, request: request) { out in
      out.append(UInt32(clients.count))
      for client in clients { client.append(to: &out) }
      for client in clients { client.appendUse(to: &out) }
    }
  }

  static func clients(flags: UInt8, reading reader: inout ByteReader) -> Reply? {
    var clients: [ClientSummary] = []
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      clients.append(ClientSummary(reading: &reader))
      // The count is not trusted: a loop of four billion rounds would hang the client.
      if reader.failed { return nil }
    }
    // Older hubs end here.
    if reader.remaining > 0 { for index in clients.indices { clients[index].takeUse(&reader) } }
    return .clients(clients, more: flags & Flag.more != 0)
  }

  package func append(to out: inout OutputBuffer) {
    out.append(behind ? Flag.behind : 0)
    out.append(session)
    out.append(peer.pid)
    out.append(peer.uid)
    out.append(peer.gid)
    out.append(since)
    out.append(watches)
    out.append(requests)
    out.append(unsent)
    out.append(short: name)
  }

  private func appendUse(to out: inout OutputBuffer) {
    out.append(cost)
    out.append(held)
    out.append(catchUps)
    out.append(origin)
  }

  private mutating func takeUse(_ reader: inout ByteReader) {
    cost = reader.integer()
    held = reader.integer()
    catchUps = reader.integer()
    origin = reader.peerOrigin()
  }

  private init(reading reader: inout ByteReader) {
    let flags = reader.integer(UInt8.self)
    let session = reader.integer(Int32.self)
    let pid = reader.integer(UInt32.self)
    let uid = reader.integer(UInt32.self)
    let peer = Peer(pid: pid, uid: uid, gid: reader.integer())
    let since = reader.integer(Int64.self)
    let watches = reader.integer(UInt32.self)
    let requests = reader.integer(UInt64.self)
    let unsent = reader.integer(UInt32.self)
    self.init(
      session: session, peer: peer, name: reader.shortBytes().text, since: since, watches: watches,
      requests: requests, unsent: unsent, behind: flags & Flag.behind != 0)
  }
}
