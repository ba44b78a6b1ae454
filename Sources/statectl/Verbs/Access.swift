// `statectl access`: a user's rights to a name, and why, as the running hub decides.

internal import HubCore
internal import HubSystem

extension VerbSpec {
  static let access = VerbSpec(
    "access", "STORE", 1...1, options: Options([.asUser, .socketName]),
    summary: "print the rights that a user has to a name, and why",
    details: """
      Prints your rights to a name, and the rule that grants them. With --as or --socket-name it does so for
      another user, program (unit:NAME, user-unit:NAME, app:ID) or socket; only root and the hub's own user
      may use these options. A program without a user is one of your own: name its user, as in
      --as alice,unit:NAME.
      User and group names come from /etc/passwd and /etc/group.
      """,
    examples: ["access audio.volume", "access audio.volume --as alice,app:org.gnome.Maps"],
    action: .ask(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let name = try words.storeName()
  let (user, socket) = (words.text(.asUser), words.text(.socketName))
  let asked: AskedIdentity?
  do throws(HubError) {
    asked = try user.map { (text) throws(HubError) in try AskedIdentity(text) }
  } catch {
    throw Failure.usage(error.message)
  }
  /// Nil: the caller.
  var other: AccessQuestion?
  if asked != nil || socket != nil {
    let account = try LocalAccount(asked?.user ?? String(CurrentProcess.effectiveUser))
    other = AccessQuestion(
      uid: account.uid, groups: account.groups, socket: socket ?? "", origin: asked?.origin ?? PeerOrigin())
  }
  return { [other] client, output throws(Failure) in
    guard case .explained(let explanation) = try client.ask(.access(name, as: other)) else {
      throw .unexpectedReply
    }
    if output.isJSON { return try output.json { $0.members(of: explanation, name, other?.uid) } }
    let who = asked?.title(caller: CurrentProcess.effectiveUser) ?? "you"
    for line in explanation.lines(about: name, who) { try output.line(ValueText.visible(line)) }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of explanation: AccessExplanation, _ name: StoreName, _ uid: UInt32?) {
    member("name", name.text)
    if let uid { member("uid", uid) }
    member("trusted", explanation.isTrusted)
    if let rule = explanation.rule {
      member("rule", rule.origin)
      member("pattern", rule.pattern)
    }
    if let socket = explanation.socket {
      member("socket", socket.name)
      array("socketRights", of: socket.rights) { $0.string($1) }
      if !socket.prefix.isEmpty { member("prefix", socket.prefix) }
      if !socket.user.isEmpty { member("countsAs", socket.user) }
    }
    switch explanation.store {
    case .untold: break
    case .missing: member("exists", false)
    case .ofHub: member("exists", true)
    case .of(let uid):
      member("exists", true)
      member("creator", uid)
    }
    object("rights") { writer in
      for right in AccessExplanation.rights {
        let answer = explanation.answers.first { $0.right == right }
        writer.object(right) {
          $0.member("may", explanation.isTrusted ? "yes" : answer.map { "\($0.verdict)" } ?? "no")
          if let subject = answer?.subject, !subject.isEmpty { $0.member("because", subject) }
        }
      }
    }
  }
}
