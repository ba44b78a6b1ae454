// `explained`: the answer to `access`.

extension AccessExplanation {
  private enum Flag {
    static let trusted: UInt8 = 1 << 0
    static let rule: UInt8 = 1 << 1
    static let socket: UInt8 = 1 << 2
  }

  private enum StoreCode {
    static let untold: UInt8 = 0
    static let missing: UInt8 = 1
    static let ofHub: UInt8 = 2
    static let ofUser: UInt8 = 3
  }

  package func encode(into out: inout OutputBuffer, request: UInt32) {
    out.frame(ReplyKind.explained.rawValue, request: request) { append(to: &$0) }
  }

  private func append(to out: inout OutputBuffer) {
    out.append(
      (isTrusted ? Flag.trusted : 0) | (rule != nil ? Flag.rule : 0) | (socket != nil ? Flag.socket : 0))
    if let rule {
      out.append(medium: rule.origin)
      out.append(short: rule.pattern)
    }
    if let socket {
      out.append(short: socket.name)
      out.append(
        socket.rights.compactMap { AccessRights(word: $0) }.reduce(AccessRights()) { $0.union($1) }.rawValue)
      out.append(short: socket.prefix)
      out.append(short: socket.user)
    }
    switch store {
    case .untold: out.append(StoreCode.untold)
    case .missing: out.append(StoreCode.missing)
    case .ofHub: out.append(StoreCode.ofHub)
    case .of(let uid):
      out.append(StoreCode.ofUser)
      out.append(uid)
    }
    out.append(UInt8(answers.count))
    for answer in answers {
      out.append(AccessRights(word: answer.right)?.rawValue ?? 0)
      out.append(answer.verdict.rawValue)
      out.append(short: answer.subject)
    }
  }

  /// Nil if a field is impossible. Answers about rights unknown to this release are omitted.
  init?(reading reader: inout ByteReader) {
    let flags = reader.integer(UInt8.self)
    isTrusted = flags & Flag.trusted != 0
    if flags & Flag.rule != 0 {
      let origin = reader.mediumBytes().text
      rule = Rule(origin: origin, pattern: reader.shortBytes().text)
    }
    if flags & Flag.socket != 0 {
      let name = reader.shortBytes().text
      let rights = AccessRights(rawValue: reader.integer())
      let prefix = reader.shortBytes().text
      socket = Socket(
        name: name, rights: AccessRights.words.filter { rights.contains($0.right) }.map(\.word),
        prefix: prefix,
        user: reader.shortBytes().text)
    }
    switch reader.integer(UInt8.self) {
    case StoreCode.untold: store = .untold
    case StoreCode.missing: store = .missing
    case StoreCode.ofHub: store = .ofHub
    case StoreCode.ofUser: store = .of(uid: reader.integer())
    default: return nil
    }
    for _ in 0..<Int(reader.integer(UInt8.self)) {
      let bit = reader.integer(UInt8.self)
      guard let verdict = Verdict(rawValue: reader.integer()) else { return nil }
      let subject = reader.shortBytes().text
      if reader.failed { return nil }
      guard let right = AccessRights.words.first(where: { $0.right.rawValue == bit })?.word else { continue }
      answers.append(Answer(right: right, verdict: verdict, subject: subject))
    }
  }
}
