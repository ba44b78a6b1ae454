// The access table's explanation for one name and one peer.

package import HubCore

extension AccessTable {
  /// - Parameter creator: the store's creator; nil: unknown, or the store does not exist.
  package func explanation(
    of name: StoreName, for identity: PeerIdentity, createdBy creator: UInt32? = nil
  ) -> AccessExplanation {
    var explanation = AccessExplanation()
    explanation.isTrusted = isTrusted(identity)
    if explanation.isTrusted { return explanation }
    explanation.socket = identity.limit.map { .init($0) }
    let rule = ranked[Array(name.text.utf8).withByteView { self.rule(for: $0) }]
    explanation.rule = .init(origin: rule.origin, pattern: rule.pattern.text)
    explanation.answers = AccessRights.words.map { word, right in
      // The creator of a store is its owner.
      let known = right == .create ? identity.uid : creator
      let decision = decide(right, on: name, createdBy: known ?? StoreRecord.byHub, for: identity)
      let own = known == nil ? decide(right, on: name, createdBy: identity.uid, for: identity) : decision
      let subject = (decision.grant ?? own.grant)?.subject.description ?? ""
      let isAtSocket = identity.limit?.allows(right, on: name) ?? true
      return .init(
        right: word,
        verdict: own.grant == nil ? .no : !isAtSocket ? .notAtSocket : decision.isAllowed ? .yes : .ifOwn,
        subject: subject)
    }
    return explanation
  }
}

extension AccessExplanation.Socket {
  init(_ limit: SocketLimit) {
    self.init(
      name: limit.name, rights: AccessRights.words.filter { limit.rights.contains($0.right) }.map(\.word),
      prefix: limit.prefix?.text ?? "", user: limit.user.map { "user:\($0.name)" } ?? "")
  }
}

extension SocketLimit {
  /// Whether a client of the socket can have the right on the name.
  func allows(_ right: AccessRights, on name: StoreName) -> Bool {
    rights.contains(right) && (prefix.map { name.text.utf8.starts(with: "\($0).".utf8) } ?? true)
  }
}
