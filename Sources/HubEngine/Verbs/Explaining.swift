// `access`: what a user may do with a name. It uses the table that decides on requests.

import HubCore

extension HubEngine {
  /// All users may ask about themselves. The answer then says nothing about the store that `get` would not, and no more
  /// of the rules than the caller's own rights: neither which rule decides nor which other users it names.
  mutating func explain(
    _ frame: FrameView, by session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = AccessCommand(frame) else { throw HubError.malformed(frame) }
    if let problem = StoreName.problem(in: command.name) {
      throw HubError(.invalidName, store: command.name.text, problem)
    }
    if command.other != nil { try checkTrust(to: "ask what others may do", by: session) }
    work &+= Cost.explanation
    let name = StoreName(checked: command.name)
    let audience = feed.sessions.audience(of: session)
    let table =
      stores.permissions.table ?? AccessTable(AccessRules(), user: options.uid, group: options.gid)
    let identity =
      command.other.map { table.identity(of: $0) } ?? stores.permissions.identity(of: audience)
      ?? PeerIdentity(feed.sessions.peer(of: session))
    let slot = stores.find(command.name).flatMap { stores.isVisible($0, to: audience) ? $0 : nil }
    var explanation = table.explanation(
      of: name, for: identity, createdBy: slot.map { stores[$0].creator })
    if audience == Permissions.everything {
      explanation.store = slot.map { .init(createdBy: stores[$0].creator) } ?? .missing
    } else {
      explanation.rule = nil
    }
    explanation.encode(into: &replies, request: frame.request)
  }
}

extension AccessExplanation.Store {
  init(createdBy creator: UInt32) { self = creator == StoreRecord.byHub ? .ofHub : .of(uid: creator) }
}

extension AccessTable {
  fileprivate func identity(of question: AccessQuestion) -> PeerIdentity {
    identity(
      of: Peer(pid: 0, uid: question.uid, gid: PeerIdentity.nobody), groups: question.groups,
      at: question.socket.isEmpty ? nil : question.socket,
      origin: question.origin == PeerOrigin() ? nil : question.origin)
  }
}
