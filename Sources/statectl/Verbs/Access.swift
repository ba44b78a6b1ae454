// `statectl access`: a user's rights to a name, and why, as the running hub decides.

internal import HubCore
internal import HubSystem

extension VerbSpec {
  static let access = VerbSpec(
    "access", "STORE", 1...1, options: Options([.asUser, .socketName]),
    summary: "print the rights that a user has to a name, and why",
    details: """
      Prints your rights to a name, and the rule that grants them. With --as or --socket-name it does so for
      another user or socket; only root and the hub's own user may use these options.
      User and group names come from /etc/passwd and /etc/group.
      """,
    examples: ["access audio.volume", "access audio.volume --as alice"],
    action: .ask(AccessCommand.init))
}

struct AccessCommand: HubCommand {
  private let name: StoreName
  /// Nil: the caller.
  private let other: AccessQuestion?
  private let who: String
  private let json: Bool

  init(_ words: CommandLineWords) throws(Failure) {
    name = try words.storeName()
    json = words.has(.json)
    let (user, socket) = (words.text(.asUser), words.text(.socketName))
    guard user != nil || socket != nil else {
      (other, who) = (nil, "you")
      return
    }
    let account = try LocalAccount(user ?? String(CurrentProcess.effectiveUser))
    other = AccessQuestion(uid: account.uid, groups: account.groups, socket: socket ?? "")
    who = user ?? "you"
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    guard case .explained(let explanation) = try client.ask(.access(name, as: other)) else {
      throw .unexpectedReply
    }
    if json { return try output.json { $0.members(of: explanation, name, other?.uid) } }
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
      key("socketRights")
      beginArray()
      for right in socket.rights { string(right) }
      endArray()
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
    key("rights")
    beginObject()
    for right in AccessExplanation.rights {
      let answer = explanation.answers.first { $0.right == right }
      key(right)
      beginObject()
      member("may", explanation.isTrusted ? "yes" : answer?.verdict.word ?? "no")
      if let subject = answer?.subject, !subject.isEmpty { member("because", subject) }
      endObject()
    }
    endObject()
  }
}

extension AccessExplanation.Verdict {
  fileprivate var word: String {
    switch self {
    case .no: "no"
    case .yes: "yes"
    case .ifOwn: "ifOwn"
    case .notAtSocket: "notAtSocket"
    }
  }
}
