// `clientList`: the answer to `clients`, one page.

/// One connection, as `clients` shows it.
public struct ClientSummary: Hashable, Sendable {
  public var session: Int32
  public var peer: Peer
  public var name: String
  /// When it connected, in nanoseconds since 1970.
  public var since: Int64
  public var watches: UInt32
  public var requests: UInt64
  /// Bytes that were queued for it and that it has not taken.
  public var unsent: UInt32
  /// It does not take its events at the moment, and they are conflated for it.
  public var behind: Bool

  package init(
    session: Int32, peer: Peer, name: String, since: Int64, watches: UInt32, requests: UInt64, unsent: UInt32,
    behind: Bool
  ) {
    self.session = session
    self.peer = peer
    self.name = name
    self.since = since
    self.watches = watches
    self.requests = requests
    self.unsent = unsent
    self.behind = behind
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
    }
  }

  static func clients(flags: UInt8, reading reader: inout ByteReader) -> Reply? {
    var clients: [ClientSummary] = []
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      clients.append(ClientSummary(reading: &reader))
      // The count may be anything: a loop of four billion rounds would hang the client.
      if reader.failed { return nil }
    }
    return .clients(clients, more: flags & Flag.more != 0)
  }

  func append(to out: inout OutputBuffer) {
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
