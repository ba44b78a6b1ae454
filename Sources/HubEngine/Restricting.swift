// The rights that connections have given up: handles `restrict`, and refuses requests that a connection may no longer make.

import HubCore

extension HubEngine {
  /// Refuses a request that the session has given up.
  ///
  /// - Returns: nil if it has not: the request is executed.
  @inline(never)
  mutating func refuse(
    _ frame: FrameView, from session: SessionID, into replies: inout OutputBuffer
  ) -> Receipt? {
    guard let restriction = feed.sessions.restriction(of: session), !restriction.allows(frame.kind) else {
      return nil
    }
    work &+= Cost.request &+ Cost.bytes(frame.bytes.count)
    monitoring.tally.requests &+= 1
    _ = feed.sessions.countRequest(of: session)
    let error = restriction.refusal
    monitoring.note(error, of: feed.sessions.peer(of: session))
    Reply.error(error).encode(into: &replies, request: frame.request)
    return ledger.awaitsJournal ? .awaitsJournal : []
  }

  /// The request `restrict`.
  mutating func restrict(
    _ frame: FrameView, _ session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = RestrictCommand(frame) else { throw HubError.malformed(frame) }
    if let restriction = feed.sessions.restriction(of: session), restriction > command.restriction {
      throw restriction.refusal
    }
    feed.sessions.restrict(session, to: command.restriction)
    attention.hasRestricted = true
    Reply.restricted.encode(into: &replies, request: frame.request)
  }
}

extension Restriction {
  /// Whether a connection that is restricted to this may send such a frame. One that is not a request is refused by `receive`.
  fileprivate func allows(_ kind: Frame.Kind?) -> Bool {
    switch kind {
    case .write: false
    case .request(let kind):
      switch kind {
      case .ping, .unwatch, .restrict, .hello: true
      case .get, .list, .describe, .watch, .clients, .stats, .access, .log, .monitor: self == .reading
      case .transaction, .reload, .provide, .standing, .decide: false
      }
    case .event, .reply, nil: true
    }
  }

  fileprivate var refusal: HubError {
    HubError(.denied, "this connection has restricted itself to \(self): use another connection")
  }
}
