// Says in words what a user may do with a name, and which rule decides that.

extension AccessTable {
  /// One line about the rule, then one for each right: its word, what holds, and what in the rule gives it.
  ///
  /// - Parameter who: the user, as people know him.
  package func explanation(of name: StoreName, for identity: PeerIdentity, _ who: String) -> [String] {
    if isTrusted(identity) { return ["\(who) may do everything, whatever the rules say"] }
    let rule = ranked[Array(name.text.utf8).withByteView { self.rule(for: $0) }]
    var lines = ["\(rule.origin) decides about \(name): it is for \(rule.pattern)"]
    for (word, right) in AccessRights.words {
      let others = decide(right, on: name, createdBy: StoreRecord.byHub, for: identity)
      let own = decide(right, on: name, createdBy: identity.uid, for: identity)
      let answer =
        others.grant.map { "yes, because of \($0.subject)" }
        ?? own.grant.map { "if it is his own, because of \($0.subject)" } ?? "no"
      lines.append("  \(who) may \(word): \(answer)")
    }
    return lines
  }
}
