// Whether a session may use more memory: the one place where requests are refused for it, and where a session is ended because its watches have
// grown.

package import HubCore

extension HubEngine {
  /// A store's value will be replaced by one of this length.
  mutating func checkMemory(forValue length: Int, _ slot: Int, by session: SessionID) throws(HubError) {
    let (before, after) = (stores.valueMemory(of: slot), stores.valueMemory(of: slot, withLength: length))
    let user = feed.payer(session, stores)
    let isOwn = stores[slot].uid == user.uid
    // A transaction may have to restore the value that it replaces.
    let freed = ledger.undo.isTransaction && ledger.undo.pins(slot, in: stores) ? 0 : before
    if let refusal = stores.refusal(after - (isOwn ? freed : 0), ofAll: after - freed, for: user) {
      throw HubError(.quota, store: label(slot), refusal)
    }
  }

  /// A store will be created, with a value of this length.
  ///
  /// - Parameter session: nil: by the hub itself.
  mutating func checkMemory(
    forNew name: ByteView, _ schema: Schema, _ length: Int, by session: SessionID?
  ) throws(HubError) {
    let user = session.map { feed.payer($0, stores) } ?? .hub
    let more = MemoryCost.store(name.count, schema) + ValueCell.memory(ofLength: length)
    let refusal =
      stores.accounts.storeRefusal(stores.count, for: user)
      ?? stores.refusal(more, ofAll: more, for: user)
    if let refusal { throw HubError(.quota, store: name.text, refusal) }
  }

  /// A store will get another schema, charged to its creator. The writer must have the room as well.
  mutating func checkMemory(for schema: Schema, _ slot: Int, by session: SessionID) throws(HubError) {
    let more = schema.memory - stores.schema(of: slot).memory
    let refusal =
      stores.refusal(more, ofAll: more, for: feed.payer(session, stores))
      ?? stores.refusal(more, ofAll: 0, for: stores.accounts.limits.payer(stores[slot].creator))
    if let refusal { throw HubError(.quota, store: label(slot), refusal) }
  }

  // MARK: Connections

  /// Why a user may not have another connection; nil: it may.
  ///
  /// - Parameters:
  ///   - count: how many it has.
  ///   - isFurther: it uses an additional socket.
  package func connectionRefusal(of peer: Peer, having count: Int, isFurther: Bool) -> String? {
    if count < MemoryCost.freeConnections { return nil }
    var user = stores.accounts.limits.payer(peer.uid)
    if isFurther { user = Payer(uid: user.uid, isTrusted: false) }
    return stores.refusal(MemoryCost.connection, ofAll: MemoryCost.connection, for: user)
  }

  /// A session's connection counts to its user, until the session is closed.
  ///
  /// - Parameter count: how many other ones the user has.
  package mutating func countConnection(_ session: SessionID, having count: Int) {
    guard count >= MemoryCost.freeConnections, feed.sessions.isOpen(session) else { return }
    addConnectionMemory(MemoryCost.connection, to: session)
  }

  private mutating func addConnectionMemory(_ bytes: Int, to session: SessionID) {
    let before = feed.sessions.connectionCharge(of: session)
    feed.sessions.addMemory(bytes, to: session)
    stores.accounts.replace(before, by: feed.sessions.connectionCharge(of: session))
  }

  /// What a connection is charged with, in bytes.
  package static let connectionMemory = MemoryCost.connection

  /// A session's connection is about to get a large send buffer, which counts to its user until the session is closed.
  /// It may not take the last half of what a user may use.
  ///
  /// - Returns: false if the user cannot have it.
  package mutating func countSendBuffer(_ bytes: Int, of session: SessionID) -> Bool {
    guard feed.sessions.isOpen(session) else { return false }
    let user = feed.payer(session, stores)
    let kept = user.isTrusted ? 0 : stores.accounts.limits.user / 2
    guard stores.refusal(bytes + kept, ofAll: bytes, for: user) == nil else { return false }
    addConnectionMemory(bytes, to: session)
    return true
  }

  // MARK: What has grown

  /// A session may have to end because of its user's watches, or because of pinned values.
  @inline(__always)
  package var mayKeepTooMuch: Bool {
    mutating get { stores.accounts.wantsCheck || stores.hasSetAside || feed.crowded != nil }
  }

  /// A session that must end because the watches of its user exceed the limit: new stores have matched their patterns.
  /// It is the one with the most. There is no other one before it has been closed.
  package mutating func nextOverdrawn() -> (session: SessionID, reason: String)? {
    if let crowded = feed.crowded {
      feed.crowded = nil
      feed.reducing = crowded
      return (
        crowded,
        "a store that it may read now is watched by \(PatternTable.mostPerStore) different patterns, the maximum"
      )
    }
    guard stores.accounts.wantsCheck, feed.reducing == nil, !feed.patterns.isUntidy,
      let uid = stores.accounts.overdrawn()
    else { return nil }
    work &+= Cost.passed &* (Int(feed.sessions.limit) &+ stores.accounts.count)
    var (most, found) = (0, SessionID?.none)
    for raw in 0..<feed.sessions.limit {
      let session = SessionID(raw: raw)
      guard feed.sessions.isOpen(session), feed.sessions.peer(of: session).uid == uid else { continue }
      if feed.sessions.watchCount(of: session) > most {
        (most, found) = (feed.sessions.watchCount(of: session), session)
      }
    }
    guard let found else { return nil }
    feed.reducing = found
    return (found, stores.accounts.overdraft(of: uid))
  }
}

extension Feed {
  /// The account charged for a session's requests.
  func payer(_ session: SessionID, _ stores: borrowing Stores) -> Payer {
    let payer = stores.accounts.limits.payer(sessions.peer(of: session).uid)
    // A container may use an additional socket, and its root has the same number.
    let isFurther = stores.permissions.limit(of: sessions.audience(of: session)) != nil
    return Payer(uid: payer.uid, isTrusted: payer.isTrusted && !isFurther)
  }

  /// Whether a session may open watches or lists that need this much more.
  func checkMemory(_ more: Int, for session: SessionID, _ stores: inout Stores) throws(HubError) {
    if let refusal = stores.refusal(more, ofAll: more, for: payer(session, stores)) {
      throw HubError(.quota, refusal)
    }
  }

  /// What so many bytes for its watches and lists cost the session's user.
  func charge(_ bytes: Int, of session: SessionID) -> Charge {
    Charge(kind: .watches, bytes: bytes, uid: sessions.peer(of: session).uid)
  }

  /// Why the session's watch cannot continue: its user is beyond the limit; nil: it can.
  func overdraft(of session: SessionID, _ stores: inout Stores) -> HubError? {
    guard let refusal = stores.refusal(1, ofAll: 1, for: payer(session, stores)) else { return nil }
    return HubError(.quota, refusal)
  }
}
